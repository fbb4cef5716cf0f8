import type { RunMemory } from '../../model/index.ts';
import type { Connecting } from './connect.ts';
import type { Lanes } from './lanes.ts';
import { createLimit, type Limit, pause } from './limit.ts';
import { type Limits, pauseMs, retryAfterMs, usualLimits } from './pause.ts';
import type { ReplyBody } from './reply-body.ts';
import { sayHost } from './request.ts';
import { keepTries, triesBefore } from './schedule.ts';
import { send, type Try } from './send.ts';
import type { Sign } from './signature.ts';
import type { HttpRequest } from './undici.ts';

export interface Sending {
  request: HttpRequest;
  /** The same on every try. */
  id: string;
  sign?: Sign;
  /** Further tries after the first. */
  retries: number;
  timeoutMs: number | null;
  signal: AbortSignal;
  /** Tries of earlier processes count, and the pause between two goes on. */
  memory?: RunMemory;
  connecting: Connecting;
  lanes: Lanes;
  limits?: Limits;
}

/** How a delivery ended. `failed`: no receiver has answered; the reason tells of its address only scheme and host. */
export type Delivery =
  | { kind: 'replied'; status: number; body: ReplyBody }
  | { kind: 'failed'; reason: string }
  | { kind: 'timed-out'; afterMs: number; reason: string }
  | { kind: 'cancelled' };

/** Sends until a receiver takes it, says for good that it does not, or tries or time are used up. Never rejects. */
export async function deliver(sending: Sending): Promise<Delivery> {
  const { retries, timeoutMs, signal, memory, request, limits = usualLimits } = sending;
  const afterMs = Math.min(timeoutMs ?? limits.sendMs, limits.sendMs);
  const before = triesBefore(memory, retries, afterMs);
  if (before.kind === 'over') return before.delivery;
  const limit = createLimit(signal, before.pauseMs + before.leftMs);
  try {
    if (before.tries > 0) await pause(before.pauseMs, limit.signal);
    if (signal.aborted) return { kind: 'cancelled' };
    for (let tries = before.tries + 1; ; tries += 1) {
      const last = await tryOnce(sending, limit, limits);
      // What was answered counts even if time has run out meanwhile.
      if (last.kind === 'replied' && !isPassing(last.status)) return last;
      if (signal.aborted) return { kind: 'cancelled' };
      const reason = `${sayHost(request.url)}: ${sayTry(last)}${tries === 1 ? '' : ` (${tries} tries)`}`;
      if (limit.isOver() && last.kind !== 'replied') return { kind: 'timed-out', afterMs, reason };
      const asked = last.kind === 'replied' ? retryAfterMs(last.retryAfter, Date.now()) : 0;
      const delayMs = pauseMs(tries, limits, asked);
      const isLast = last.kind === 'refused' || tries > retries || delayMs >= limit.remainingMs();
      const delivery: Delivery = last.kind === 'replied' ? last : { kind: 'failed', reason };
      await keepTries(memory, tries, delivery, isLast ? undefined : { delayMs, leftMs: limit.remainingMs() - delayMs });
      if (isLast) return delivery;
      await pause(delayMs, limit.signal);
      if (signal.aborted) return { kind: 'cancelled' };
    }
  } finally {
    limit.clear();
  }
}

/** Answers that say "not now". */
const isPassing = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

const sayTry = (last: Try): string => (last.kind === 'replied' ? `HTTP status ${last.status}` : last.reason);

/** Waiting for a free connection counts against the whole, not against the try. */
async function tryOnce(
  { request, id, sign, connecting, lanes }: Sending,
  { signal }: Limit,
  limits: Limits,
): Promise<Try> {
  const leave = await lanes.enter(request.url.origin, signal);
  if (leave === undefined) return { kind: 'broken', reason: 'no answer in time' };
  try {
    const headers = { ...request.headers, ...deliveryHeaders(id, sign, request.body ?? '') };
    return await send({ ...request, headers }, connecting, limits, signal);
  } finally {
    leave();
  }
}

function deliveryHeaders(id: string, sign: Sign | undefined, body: string): Record<string, string> {
  if (sign === undefined) return { 'webhook-id': id };
  const at = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': sign(id, at, body),
  };
}
