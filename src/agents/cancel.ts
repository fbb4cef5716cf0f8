import { onCancel } from '../actions/process/cancel.ts';

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

/** A signal that is aborted with the first of several. Contract: `clear` is called once nobody needs it any more. */
export function joinSignals(...signals: readonly AbortSignal[]): { signal: AbortSignal; clear(): void } {
  const joined = new AbortController();
  const abort = (): void => joined.abort();
  if (signals.some(({ aborted }) => aborted)) abort();
  const clears = signals.map(signal => onCancel(signal, abort));
  return {
    signal: joined.signal,
    clear() {
      for (const clear of clears) clear();
    },
  };
}
