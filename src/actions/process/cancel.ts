const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `cancel` when the signal is aborted; the result takes it back.
 * All runs share one listener: Node warns of a leak when a signal has more than ten.
 */
export function onCancel(signal: AbortSignal, cancel: () => void): () => void {
  const calls = listeners.get(signal) ?? listen(signal);
  calls.add(cancel);
  return () => calls.delete(cancel);
}

function listen(signal: AbortSignal): Set<() => void> {
  const calls = new Set<() => void>();
  listeners.set(signal, calls);
  signal.addEventListener('abort', () => {
    for (const call of calls) call();
  });
  return calls;
}
