import type { StopAfter } from '../model/control.ts';

/** Someone wants a session to stop, so that it can be resumed: now, or when the turn or the task at hand is over. */
export interface StopWish {
  /** Aborted: it stops now. */
  signal: AbortSignal;
  /** The soonest that anyone has asked for counts. */
  want(after: StopAfter): void;
  /** Whether the session stops where it is: after a turn, or between two tasks. */
  isDue(at: 'turn' | 'task'): boolean;
}

export function createStopWish(): StopWish {
  const now = new AbortController();
  let wanted: StopAfter | undefined;
  return {
    signal: now.signal,
    want(after) {
      if (wanted === undefined || order.indexOf(after) < order.indexOf(wanted)) wanted = after;
      if (wanted === 'now') now.abort();
    },
    isDue: at => wanted !== undefined && order.indexOf(wanted) <= order.indexOf(at),
  };
}

const order: readonly StopAfter[] = ['now', 'turn', 'task'];
