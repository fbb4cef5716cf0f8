import { setTimeout as delay } from 'node:timers/promises';

/** Slows down who gives wrong tokens; the right one never passes here, so it is never slowed. */
export interface Brake {
  /** Settles when the client may have its reply. */
  slow(client: string): Promise<void>;
}

const freeTries = 20;
const windowMs = 60_000;
const firstPauseMs = 50;
const longestPauseMs = 5000;
const maxClients = 1000;

export function createBrake(now: () => number = () => performance.now()): Brake {
  const tries = new Map<string, { count: number; sinceMs: number }>();
  const counted = (client: string): number => {
    const before = tries.get(client);
    const isFresh = before !== undefined && now() - before.sinceMs < windowMs;
    const next = isFresh ? { ...before, count: before.count + 1 } : { count: 1, sinceMs: now() };
    tries.delete(client);
    tries.set(client, next);
    const [oldest] = tries.keys();
    if (tries.size > maxClients && oldest !== undefined) tries.delete(oldest);
    return next.count;
  };
  return {
    async slow(client) {
      const pauseMs = pauseAfter(counted(client));
      if (pauseMs > 0) await delay(pauseMs, undefined, { ref: false });
    },
  };
}

export const pauseAfter = (count: number): number =>
  count <= freeTries ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (count - freeTries - 1));
