import type { Connecting } from './connect.ts';
import { describeFailure, type SendFailure } from './failure.ts';
import { createLimit } from './limit.ts';
import type { Limits } from './pause.ts';
import { type ReplyBody, readBody } from './reply-body.ts';
import type { HttpReply, HttpRequest } from './undici.ts';

/** What became of one try. */
export type Try = { kind: 'replied'; status: number; retryAfter?: string; body: ReplyBody } | SendFailure;

/** Sends a request once. Never rejects. */
export async function send(
  request: HttpRequest,
  connecting: Connecting,
  limits: Limits,
  signal: AbortSignal,
): Promise<Try> {
  const limit = createLimit(signal, limits.tryMs);
  try {
    const { openRequest } = await import('./undici.ts');
    const reply = await openRequest(request, connecting, limit.signal);
    limit.clear();
    return await readReply(reply, limits.bodyMs, signal);
  } catch (error) {
    return limit.signal.aborted ? { kind: 'broken', reason: 'no answer in time' } : describeFailure(error);
  } finally {
    limit.clear();
  }
}

/** The status is there: a body that is slow or breaks off does not make the try a failed one. */
async function readReply(
  { status, headers, body, close }: HttpReply,
  limitMs: number,
  signal: AbortSignal,
): Promise<Try> {
  const limit = createLimit(signal, limitMs);
  const retryAfter = one(headers['retry-after']);
  try {
    const read = await readBody(body, one(headers['content-encoding']), limit.signal);
    return { kind: 'replied', status, body: read, ...(retryAfter !== undefined && { retryAfter }) };
  } finally {
    limit.clear();
    close();
  }
}

const one = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.[0];
