import { joinSignals } from '../actions/process/cancel.ts';

/** The requests that are being answered. */
export interface Work {
  /** Runs one. Its signal aborts when `gone` does or when everything has to end. */
  take<T>(gone: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Waits for those that run; after `graceMs` they are aborted and waited for. */
  finish(graceMs: number): Promise<void>;
}

/** `onIdle` is called once nothing has been asked for `idleMs`; 0 is never. */
export function createWork(idleMs: number, onIdle: () => void): Work {
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  let idle: NodeJS.Timeout | undefined;
  let isFinishing = false;
  const rest = (): void => {
    clearTimeout(idle);
    if (idleMs > 0 && running.size === 0 && !isFinishing) idle = setTimeout(onIdle, idleMs);
  };
  rest();
  return {
    async take(gone, run) {
      clearTimeout(idle);
      const { signal, clear } = joinSignals(gone, ending.signal);
      const task = run(signal);
      running.add(task);
      try {
        return await task;
      } finally {
        clear();
        running.delete(task);
        rest();
      }
    },
    async finish(graceMs) {
      isFinishing = true;
      clearTimeout(idle);
      const cut = setTimeout(() => ending.abort(), graceMs);
      while (running.size > 0) await Promise.allSettled(running);
      clearTimeout(cut);
      ending.abort();
    },
  };
}
