/** The requests that are being answered. */
export interface Work {
  /** Runs one; it is told by `gone` when everything has to end. */
  take<T>(gone: AbortController, run: () => Promise<T>): Promise<T>;
  /** Waits for those that run; after `graceMs` they are told to end, and waited for. */
  finish(graceMs: number): Promise<void>;
}

/** `onIdle` is called once nothing has been asked for `idleMs`; 0 is never. */
export function createWork(idleMs: number, onIdle: () => void): Work {
  const running = new Map<Promise<unknown>, AbortController>();
  let idle: NodeJS.Timeout | undefined;
  let isFinishing = false;
  let isOver = false;
  const rest = (): void => {
    clearTimeout(idle);
    if (idleMs > 0 && running.size === 0 && !isFinishing) idle = setTimeout(onIdle, idleMs);
  };
  const cut = (): void => {
    isOver = true;
    for (const gone of running.values()) gone.abort();
  };
  rest();
  return {
    async take(gone, run) {
      clearTimeout(idle);
      if (isOver) gone.abort();
      const task = run();
      running.set(task, gone);
      try {
        return await task;
      } finally {
        running.delete(task);
        rest();
      }
    },
    async finish(graceMs) {
      isFinishing = true;
      clearTimeout(idle);
      const late = setTimeout(cut, graceMs);
      while (running.size > 0) await Promise.allSettled(running.keys());
      clearTimeout(late);
      cut();
    },
  };
}
