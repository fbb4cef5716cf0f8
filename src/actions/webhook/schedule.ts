import type { RunMemory } from '../../model/index.ts';
import type { Delivery } from './deliver.ts';

/** Where a delivery stands: it is over, or its next try is due after a pause and has so much time left from then on. */
export type Standing =
  | { kind: 'over'; delivery: Delivery }
  | { kind: 'open'; tries: number; pauseMs: number; leftMs: number };

/** What is kept of a delivery whose tries so far were in vain. No next: none is due any more. */
interface KeptTries {
  tries: number;
  last: { status: number } | { reason: string };
  next?: { at: string; leftMs: number };
}

/** What earlier processes have left of a delivery. The time between them counts as pause, never as time for sending. */
export function triesBefore(memory: RunMemory | undefined, retries: number, afterMs: number): Standing {
  const kept = memory?.known() as KeptTries | undefined;
  if (kept === undefined) return { kind: 'open', tries: 0, pauseMs: 0, leftMs: afterMs };
  const { tries, last, next } = kept;
  if (next === undefined || tries > retries) return { kind: 'over', delivery: toDelivery(last) };
  // No pause is longer than sending may take; one that seems so comes from a clock that was set back.
  const pauseMs = Math.min(Math.max(0, Date.parse(next.at) - Date.now()), afterMs);
  return { kind: 'open', tries, pauseMs, leftMs: next.leftMs };
}

/** Of an answer the status is enough: what it said is not kept. */
const toDelivery = (last: KeptTries['last']): Delivery =>
  'status' in last
    ? { kind: 'replied', status: last.status, body: { text: '', bytes: 0 } }
    : { kind: 'failed', reason: last.reason };

/** Settles when it is on disk; before that nobody may wait for the next try. */
export async function keepTries(
  memory: RunMemory | undefined,
  tries: number,
  delivery: Extract<Delivery, { kind: 'replied' | 'failed' }>,
  next: { delayMs: number; leftMs: number } | undefined,
): Promise<void> {
  if (memory === undefined) return;
  const last = delivery.kind === 'replied' ? { status: delivery.status } : { reason: delivery.reason };
  const at = next && { at: new Date(Date.now() + next.delayMs).toISOString(), leftMs: Math.round(next.leftMs) };
  const kept: KeptTries = { tries, last, ...(at && { next: at }) };
  await memory.keep(kept);
}
