import { setMaxListeners } from 'node:events';

/** A signal that is aborted with another one, or when its time is up. */
export interface Limit {
  signal: AbortSignal;
  isOver(): boolean;
  remainingMs(): number;
  /** Forgets timer and listener. */
  clear(): void;
}

/** `afterMs` stays below 24.8 days, where timers overflow; sending is far from it. */
export function createLimit(outer: AbortSignal, afterMs: number): Limit {
  const controller = new AbortController();
  const endMs = performance.now() + afterMs;
  let over = false;
  const follow = (): void => controller.abort(outer.reason);
  const timer = setTimeout(() => {
    over = true;
    controller.abort();
  }, afterMs);
  // A session's signal has as many listeners as webhooks are on their way; that is no leak.
  setMaxListeners(0, outer, controller.signal);
  outer.addEventListener('abort', follow, { once: true });
  if (outer.aborted) follow();
  return {
    signal: controller.signal,
    isOver: () => over,
    remainingMs: () => endMs - performance.now(),
    clear() {
      clearTimeout(timer);
      outer.removeEventListener('abort', follow);
    },
  };
}

/** Ends early when the signal is aborted. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
