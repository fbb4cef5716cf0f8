import { createHash, createHmac } from 'node:crypto';
import { uptime } from 'node:os';
import { type AnswerWords, type ApprovalAnswer, acceptedWords, meaningOf } from '../model/index.ts';
import type { Question, Settlement } from '../model/question.ts';
import { createBell } from '../platform/watch.ts';
import type { Questions, Settled } from './store.ts';

/** `recorded` by this call, or `settled` before it; `no-answer` leaves the question open. */
export type Answering = (Settled & { wasSettled: boolean }) | { kind: 'no-answer'; problem: string };

/** The one way to an answer, whoever gives it. Contract: rejects where it is not sure that the answer is kept. */
export async function answerQuestion(
  questions: Questions,
  question: Question,
  answer: ApprovalAnswer,
): Promise<Answering> {
  const before = await settlementOf(questions, question, Date.parse(answer.at));
  if (before) return { kind: 'settled', settlement: before, wasSettled: true };
  if (meaningOf(answer.action, question.actions) === undefined)
    return { kind: 'no-answer', problem: notAWord(answer.action, question.actions) };
  return { ...(await questions.settle(question.id, answer)), wasSettled: false };
}

/** Past its deadline a question takes no answer, whether or not anyone waits who could write that down. */
export async function settlementOf(
  questions: Questions,
  question: Question,
  nowMs: number,
): Promise<Settlement | undefined> {
  const settlement = await questions.settlement(question.id);
  if (settlement || !isExpired(question, nowMs)) return settlement;
  return { kind: 'expired', at: question.expires! };
}

export const isExpired = ({ expires }: Question, nowMs: number): boolean =>
  expires !== null && nowMs >= Date.parse(expires);

function notAWord(said: string, own: AnswerWords | undefined): string {
  const { approve, reject } = acceptedWords(own);
  return `“${said}” is not an answer, so nothing was decided. To approve: ${approve.join(', ')}. To reject: ${reject.join(', ')}.`;
}

export type Ending = ApprovalAnswer | { kind: 'expired' } | { kind: 'cancelled' };

export interface Waiting {
  question: Question;
  /** Left until it expires, from the moment of the call; null: for ever. */
  remainingMs: number | null;
  clock: Clock;
  signal: AbortSignal;
}

const pollMs = 500;
const jumpMs = 2000;

/**
 * Ends when the question is settled by any process, when its time is over, or by the signal. Looks often, which makes waits
 * of months safe: a timer holds 24 days. Contract: never rejects.
 */
export async function waitForAnswer(questions: Questions, waiting: Waiting): Promise<Ending> {
  const { question, remainingMs, clock, signal } = waiting;
  const endsAtMs = remainingMs === null ? null : clock.elapsedMs() + remainingMs;
  const leftMs = (): number => (endsAtMs === null ? Number.POSITIVE_INFINITY : endsAtMs - clock.elapsedMs());
  let toldMs = question.expires === null ? 0 : Date.parse(question.expires);
  const { ring, rung } = createBell();
  const unwatch = questions.watch(question.id, ring);
  signal.addEventListener('abort', ring);
  try {
    for (;;) {
      const settlement = await questions.settlement(question.id);
      if (settlement) return toEnd(settlement);
      if (signal.aborted) return { kind: 'cancelled' };
      const expired = leftMs() <= 0 ? await expire(questions, question.id, clock) : undefined;
      if (expired) return expired;
      const expiresMs = clock.now() + leftMs();
      if (endsAtMs !== null && leftMs() > 0 && Math.abs(expiresMs - toldMs) >= jumpMs)
        if (await tellDeadline(questions, question.id, expiresMs)) toldMs = expiresMs;
      await rung(leftMs() > 0 ? Math.max(1, Math.min(pollMs, leftMs())) : pollMs);
    }
  } finally {
    unwatch();
    signal.removeEventListener('abort', ring);
  }
}

export interface Clock {
  /** On the wall; may jump. */
  now(): number;
  /** Only ever grows, and by the time the machine sleeps too. */
  elapsedMs(): number;
}

const start = { monotonicMs: performance.now(), uptimeMs: uptime() * 1000 };

/** The monotonic clock stands still while the machine sleeps; its uptime does not, but counts in whole seconds on some systems. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsedMs: () => Math.max(performance.now() - start.monotonicMs, uptime() * 1000 - start.uptimeMs - 1000),
};

const toEnd = (settlement: Settlement): Ending =>
  settlement.kind === 'answered' ? settlement : { kind: settlement.kind === 'expired' ? 'expired' : 'cancelled' };

/** Undefined where it cannot be written: until it is, an answer could still come, so nothing is over. */
export async function expire(questions: Questions, id: string, clock: Clock): Promise<Ending | undefined> {
  const at = new Date(clock.now()).toISOString();
  const settled = await questions.settle(id, { kind: 'expired', at }).catch(() => undefined);
  return settled && toEnd(settled.settlement);
}

/** Other processes know only the clock on the wall. When it jumps, the deadline they go by is moved with it. */
async function tellDeadline(questions: Questions, id: string, expiresMs: number): Promise<boolean> {
  const told = questions.change(id, question => ({ ...question, expires: isoTime(expiresMs) }));
  return (await told.catch(() => undefined)) !== undefined;
}

/** No date is later. */
const latestMs = 8.64e15;

export const isoTime = (ms: number): string => new Date(Math.min(ms, latestMs)).toISOString();

/** Letters and digits that people do not mistake for each other. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 8;

export const toId = (bytes: Buffer): string =>
  Array.from(bytes.subarray(0, idLength), byte => alphabet[byte & 31]).join('');

export const isId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{8}$/.test(text);

/** As a person may type it: in capitals, with a letter for the digit that looks like it. */
export const foldId = (typed: string): string =>
  typed.trim().toLowerCase().replaceAll('-', '').replaceAll('o', '0').replaceAll(/[il]/g, '1');

/** The same every time, so that a URL can be sent again after a crash although no token is kept beside its question. */
export const tokenOf = (secret: Buffer, id: string, nonce: string): string =>
  createHmac('sha256', secret).update(`token\0${id}\0${nonce}`).digest('base64url');

/** Shows to another program of the same user that it talks to one of ours, at this port. */
export const proofOf = (secret: Buffer, port: number, challenge: string): string =>
  createHmac('sha256', secret).update(`server\0${port}\0${challenge}`).digest('hex');

/** Shows that one of our own programs names the port, to which a page may then lead. */
export const homeMarkOf = (secret: Buffer, port: number): string =>
  createHmac('sha256', secret).update(`home\0${port}`).digest('base64url');

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
