const listeners = new WeakMap<AbortSignal, Calls>();

interface Calls {
  all: Set<() => void>;
  stop(): void;
}

/**
 * Calls `cancel` when the signal is aborted; the result takes it back.
 * All runs share one listener: Node warns of a leak when a signal has more than ten.
 */
export function onCancel(signal: AbortSignal, cancel: () => void): () => void {
  const calls = listeners.get(signal) ?? listen(signal);
  calls.all.add(cancel);
  return () => {
    // A signal that follows others stays in memory for as long as it has a listener.
    if (calls.all.delete(cancel) && calls.all.size === 0) calls.stop();
  };
}

/** A signal and who aborts it. Whoever waits for it with `onCancel` adds no listener: loading Node's events for that takes as long as a short hook. */
export function createCancel(): { signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  const all = new Set<() => void>();
  listeners.set(controller.signal, { all, stop() {} });
  return {
    signal: controller.signal,
    cancel() {
      controller.abort();
      for (const call of all) call();
    },
  };
}

/** A signal that is aborted with the first of several, or by `abort`. Contract: `clear` is called once no one needs it any more; Node's own `any` never lets go. */
export function joinSignals(...signals: readonly AbortSignal[]): { signal: AbortSignal; abort(): void; clear(): void } {
  const joined = new AbortController();
  const abort = (): void => joined.abort();
  if (signals.some(({ aborted }) => aborted)) abort();
  const clears = signals.map(signal => onCancel(signal, abort));
  return {
    signal: joined.signal,
    abort,
    clear() {
      for (const clear of clears) clear();
    },
  };
}

/** What the promise gives; undefined where the signal is aborted first. */
export async function unlessCancelled<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  let ignoreCancel = (): void => {};
  const cancelled = new Promise<undefined>(resolve => {
    ignoreCancel = onCancel(signal, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, cancelled]);
  } finally {
    ignoreCancel();
  }
}

function listen(signal: AbortSignal): Calls {
  const all = new Set<() => void>();
  const callAll = (): void => {
    for (const call of all) call();
  };
  const calls: Calls = {
    all,
    stop() {
      signal.removeEventListener('abort', callAll);
      listeners.delete(signal);
    },
  };
  listeners.set(signal, calls);
  signal.addEventListener('abort', callAll);
  return calls;
}
