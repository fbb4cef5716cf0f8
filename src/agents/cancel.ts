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
