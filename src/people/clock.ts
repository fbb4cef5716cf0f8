import { uptime } from 'node:os';

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
