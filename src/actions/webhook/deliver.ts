import { setTimeout } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { RunMemory } from '../../model/index.ts';
import { unlessCancelled } from '../../platform/cancel.ts';
import { limitOf } from '../process/limit.ts';
import { sayHost, type WebhookRequest } from './request.ts';
import { type Connecting, noAnswer, type ReplyBody, send, type Try, type TryLimits } from './send.ts';

export interface Sending {
  request: WebhookRequest;
  /** The same on every try. */
  id: string;
  /** Further tries after the first. */
  retries: number;
  timeoutMs: number | null;
  signal: AbortSignal;
  /** Tries of earlier processes count, and the pause between two goes on. */
  memory?: RunMemory | undefined;
  connecting: Connecting;
  connections: Connections;
  limits?: Limits;
}

/** How long deliveries and their parts may take. */
export interface Limits extends TryLimits {
  /** Sending in all, tries and pauses together. */
  sendMs: number;
  firstPauseMs: number;
  maxPauseMs: number;
}

export const usualLimits: Limits = {
  sendMs: 60_000,
  tryMs: 20_000,
  bodyMs: 5_000,
  firstPauseMs: 1_000,
  maxPauseMs: 30_000,
};

/** Bounds the connections to one receiver; one that hangs holds up only what goes to it. */
export type Connections = (origin: string) => LimitFunction;

export function limitConnections(perReceiver: number): Connections {
  const limits = new Map<string, LimitFunction>();
  return origin => {
    const limit = limits.get(origin) ?? pLimit(perReceiver);
    limits.set(origin, limit);
    return limit;
  };
}

/** How a delivery ended. `failed`: no receiver has answered; the reason tells of its address only scheme and host. */
export type Delivery =
  | { kind: 'replied'; status: number; body: ReplyBody }
  | { kind: 'failed'; reason: string }
  | { kind: 'timed-out'; afterMs: number; reason: string }
  | { kind: 'cancelled' };

/** Sends until a receiver takes it, says for good that it does not, or tries or time are used up. Never rejects. */
export async function deliver(sending: Sending): Promise<Delivery> {
  const { retries, signal, memory, request, limits = usualLimits } = sending;
  const afterMs = Math.min(sending.timeoutMs ?? limits.sendMs, limits.sendMs);
  // What earlier processes have left. The time between them counts as pause, never as time for sending.
  const { tries: before, last: lastBefore, next } = (memory?.known() ?? { tries: 0 }) as KeptTries;
  if (lastBefore !== undefined && (next === undefined || before > retries)) return toDelivery(lastBefore);
  // No pause is longer than sending may take; one that seems so comes from a clock that was set back.
  const dueMs = next === undefined ? 0 : Math.min(Math.max(0, Date.parse(next.at) - Date.now()), afterMs);
  const timeoutMs = dueMs + (next?.leftMs ?? afterMs);
  const endMs = performance.now() + timeoutMs;
  const limit = limitOf({ signal, timeoutMs });
  try {
    if (before > 0) await pause(dueMs, limit.signal);
    for (let tries = before + 1; ; tries += 1) {
      if (signal.aborted) return { kind: 'cancelled' };
      const last = await tryOnce(sending, limit.signal, limits);
      // What was answered counts even if time has run out meanwhile.
      if (last.kind === 'replied' && !isPassing(last.status)) return last;
      if (signal.aborted) return { kind: 'cancelled' };
      const reason = `${sayHost(request.url)}: ${sayTry(last)}${tries === 1 ? '' : ` (${tries} tries)`}`;
      if (limit.signal.aborted && last.kind !== 'replied') return { kind: 'timed-out', afterMs, reason };
      const delayMs = pauseMs(tries, limits, last.kind === 'replied' ? retryAfterMs(last.retryAfter, Date.now()) : 0);
      const leftMs = endMs - performance.now() - delayMs;
      const isLast = last.kind === 'refused' || tries > retries || leftMs <= 0;
      const delivery: Delivery = last.kind === 'replied' ? last : { kind: 'failed', reason };
      const kept: KeptTries = { tries, last: last.kind === 'replied' ? { status: last.status } : { reason } };
      if (!isLast) kept.next = { at: new Date(Date.now() + delayMs).toISOString(), leftMs: Math.round(leftMs) };
      // Settles when it is on disk; before that no one may wait for the next try.
      await memory?.keep(kept);
      if (isLast) return delivery;
      await pause(delayMs, limit.signal);
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
  { request, id, connecting, connections }: Sending,
  signal: AbortSignal,
  limits: Limits,
): Promise<Try> {
  let isSending = false;
  const sent = connections(request.url.origin)(async () => {
    if (signal.aborted) return noAnswer;
    isSending = true;
    const headers = { ...request.headers, ...deliveryHeaders(id, request) };
    return send({ ...request, headers }, connecting, limits, signal);
  });
  await unlessCancelled(sent, signal);
  // What is being sent hears of the signal by itself.
  return isSending ? sent : noAnswer;
}

function deliveryHeaders(id: string, { sign, body }: WebhookRequest): Record<string, string> {
  if (sign === undefined) return { 'webhook-id': id };
  const at = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': sign(id, at, body ?? ''),
  };
}

/** The pause after a failed try: doubled each time, shorter by chance so that many senders part, never shorter than asked for. */
export function pauseMs(tries: number, limits: Limits, retryAfterMs = 0): number {
  const longest = Math.min(limits.firstPauseMs * 2 ** (tries - 1), limits.maxPauseMs);
  return Math.max(longest * (0.5 + Math.random() / 2), retryAfterMs);
}

/** Retry-After in seconds or as a date; 0 for anything else. */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}

/** Ends early when the signal is aborted. */
const pause = (delayMs: number, signal: AbortSignal): Promise<unknown> =>
  setTimeout(delayMs, undefined, { signal }).catch(() => {});

/** What is kept of a delivery whose tries so far were in vain. No next: none is due any more. */
interface KeptTries {
  tries: number;
  last?: { status: number } | { reason: string };
  next?: { at: string; leftMs: number };
}

/** Of an answer the status is enough: what it said is not kept. */
const toDelivery = (last: NonNullable<KeptTries['last']>): Delivery =>
  'status' in last
    ? { kind: 'replied', status: last.status, body: { text: '', bytes: 0 } }
    : { kind: 'failed', reason: last.reason };
