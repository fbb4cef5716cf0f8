import type { KnownEntry } from './known-record.ts';

/** Counts the time in which a session was worked on; nights between a crash and its resume are left out. */
export interface WorkClock {
  add(entry: KnownEntry): void;
  workedMs(): number;
  /** As if the session went on until then. */
  workedUntilMs(nowMs: number): number;
  lastAt(): string | undefined;
}

export function createWorkClock(): WorkClock {
  let sumMs = 0;
  let last: { at: string; ms: number } | undefined;
  return {
    add({ kind, at }) {
      const ms = Date.parse(at);
      // The wall clock may have been set back.
      if (last && kind !== 'session.resumed') sumMs += Math.max(0, ms - last.ms);
      last = { at, ms };
    },
    workedMs: () => sumMs,
    workedUntilMs: nowMs => sumMs + (last ? Math.max(0, nowMs - last.ms) : 0),
    lastAt: () => last?.at,
  };
}
