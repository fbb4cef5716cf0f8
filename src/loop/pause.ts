import { setTimeout as delay } from 'node:timers/promises';
import type { LimitRecord } from '../model/record.ts';
import { formatKey, parseKey, partOf, type StepKey } from '../model/step-key.ts';
import { durationWords, momentWords } from '../model/words.ts';
import type { OpenPause } from '../session/state/pauses.ts';
import type { Loop } from './loop-parts.ts';
import { agentName, type Position, type Session } from './session.ts';
import { endedIn, SessionEnd, stopIfDue } from './session-end.ts';

/**
 * Waits until the agent that is free first may go on, for hooks and people to see. A pause that an earlier process has
 * begun goes on until its own end. Contract: rejects with a SessionEnd where it would be too long, or someone stops it.
 */
export async function pause(
  { session, fire }: Loop,
  position: Position,
  turn: StepKey,
  first: LimitRecord | undefined,
): Promise<void> {
  const { durable } = session;
  const open = durable.state().pauses.now ?? (first && (await begin(session, turn, first)));
  if (!open) return;
  const { agent, limit, until, reason } = open;
  const key = parseKey(open.key);
  const facts = { agent: agentName(agent), kind: limit, until, reason };
  await fire(position, 'session.paused', { key: partOf(key, 'paused'), fields: facts });
  await waitUntil(Date.parse(until), {
    longestMs: Date.parse(until) - Date.parse(open.at),
    signal: session.stop,
    isOver: () => session.stopWish.isDue('turn'),
  });
  if (session.stop.aborted) throw endedIn(session, 'while it was paused');
  stopIfDue(session, 'turn');
  const duration = Math.max(0, Date.now() - Date.parse(open.at));
  await fire(position, 'session.resumed', { key: partOf(key, 'resumed'), fields: { duration } });
  await durable.write({ kind: 'pause.ended', key: open.key });
}

const defaultMaxWaitMs = 12 * 3_600_000;

async function begin(session: Session, turn: StepKey, first: LimitRecord): Promise<OpenPause> {
  const { durable } = session;
  const { count, waitedMs } = durable.state().pauses;
  const maxWaitMs = session.maxWaitMs ?? defaultMaxWaitMs;
  if (waitedMs + Date.parse(first.until) - Date.now() > maxWaitMs) {
    const before = waitedMs > 0 ? `after ${durationWords(waitedMs)} of pauses ` : '';
    const text = `${before}${limitText(first)}, and no pause may be longer than ${durationWords(maxWaitMs)} (--max-wait); resume the session then`;
    // Nothing is done anew when it is resumed: the turn goes on as after any pause.
    throw new SessionEnd('failed', text, { at: partOf(turn, 'wait') });
  }
  const key = formatKey(partOf(turn, `pause${count + 1}`));
  await durable.write({ kind: 'pause.started', key, ...first });
  return durable.state().pauses.now!;
}

/** What is said of an agent that may not go on. */
export const limitText = ({ agent, limit, until, reason }: LimitRecord): string =>
  `${agentName(agent)} is limited until ${momentWords(until, Date.now())} (${limit}: ${reason})`;

interface Waiting {
  /** A clock that is set back makes it no longer. */
  longestMs: number;
  signal: AbortSignal;
  /** Asked now and then: no one wants to wait any more. */
  isOver(): boolean;
  /** The wall clock, and one that no one sets. */
  clocks?: { wallMs(): number; steadyMs(): number };
}

const realClocks = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/** A clock that is set forward, or a machine that sleeps, is noticed so soon. */
const sliceMs = 1000;

/** Waits for a time of the wall clock, whatever someone does to that clock meanwhile. */
export async function waitUntil(
  untilMs: number,
  { longestMs, signal, isOver, clocks = realClocks }: Waiting,
): Promise<void> {
  const fromMs = clocks.steadyMs();
  const leftMs = (): number => Math.min(untilMs - clocks.wallMs(), longestMs - (clocks.steadyMs() - fromMs));
  // Written so that NaN counts as over.
  for (let left = leftMs(); left > 0 && !signal.aborted && !isOver(); left = leftMs())
    await delay(Math.min(Math.ceil(left), sliceMs), undefined, { signal }).catch(() => {});
}
