import { type FSWatcher, watch } from 'node:fs';
import { uptime } from 'node:os';
import type { ApprovalAnswer } from '../../model/index.ts';
import { isoTime, type Question, questionFolder, readQuestion, writeQuestion } from './questions.ts';
import { readSettlement, recordSettlement, type Settlement } from './settlement.ts';

export type Ending = ApprovalAnswer | { kind: 'expired' } | { kind: 'cancelled' };

export interface Waiting {
  folder: string;
  question: Question;
  /** Left until it expires, from the moment of the call; null: for ever. */
  remainingMs: number | null;
  clock: Clock;
  signal: AbortSignal;
}

/** Ends when the question is settled by any process, when its time is over, or by the signal. Contract: never rejects. */
export function waitForAnswer(waiting: Waiting): Promise<Ending> {
  const { folder, question, signal } = waiting;
  const { ending, pauseMs } = createLook(waiting);
  return new Promise(resolve => {
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      clearTimeout(timer);
      const how = ending();
      if (how === undefined) {
        timer = setTimeout(look, pauseMs());
        return;
      }
      watcher?.close();
      signal.removeEventListener('abort', look);
      resolve(how);
    };
    const watcher = watchFolder(questionFolder(folder, question.id), () => look());
    signal.addEventListener('abort', look);
    look();
  });
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

const pollMs = 500;
const jumpMs = 2000;

/** How the wait ends, if it does now, and when to look again. Looking often makes waits of months safe: a timer holds 24 days. */
function createLook({ folder, question, remainingMs, clock, signal }: Waiting) {
  const endsAtMs = remainingMs === null ? null : clock.elapsedMs() + remainingMs;
  let toldMs = question.expires === null ? 0 : Date.parse(question.expires);
  const leftMs = (): number => (endsAtMs === null ? Number.POSITIVE_INFINITY : endsAtMs - clock.elapsedMs());
  return {
    ending(): Ending | undefined {
      const settlement = readSettlement(folder, question.id);
      if (settlement) return toEnd(settlement);
      if (signal.aborted) return { kind: 'cancelled' };
      if (leftMs() <= 0) return expire(folder, question.id, clock);
      const expiresMs = clock.now() + leftMs();
      if (endsAtMs !== null && Math.abs(expiresMs - toldMs) >= jumpMs && tellDeadline(folder, question.id, expiresMs))
        toldMs = expiresMs;
      return undefined;
    },
    pauseMs: () => (leftMs() > 0 ? Math.max(1, Math.min(pollMs, leftMs())) : pollMs),
  };
}

const toEnd = (settlement: Settlement): Ending =>
  settlement.kind === 'answered' ? settlement : { kind: settlement.kind === 'expired' ? 'expired' : 'cancelled' };

/** Undefined where it cannot be written: until it is, an answer could still come, so nothing is over. */
export function expire(folder: string, id: string, clock: Clock): Ending | undefined {
  try {
    const at = new Date(clock.now()).toISOString();
    return toEnd(recordSettlement(folder, id, { kind: 'expired', at }).settlement);
  } catch {
    return undefined;
  }
}

/** Other processes know only the clock on the wall. When it jumps, the deadline they go by is moved with it. */
function tellDeadline(folder: string, id: string, expiresMs: number): boolean {
  const question = readQuestion(folder, id);
  if (!question) return false;
  try {
    writeQuestion(folder, { ...question, expires: isoTime(expiresMs) });
    return true;
  } catch {
    return false;
  }
}

/** Faster than the next look; where files cannot be watched, that one is soon enough. */
function watchFolder(folder: string, look: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
