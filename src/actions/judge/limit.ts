import type { ActionOutcome, ActionRun } from '../../model/index.ts';
import { onCancel } from '../process/cancel.ts';

/** How long something of ours may go on: until its time is up or somebody wants it to end. */
export interface Limit {
  stop: AbortSignal;
  /** What has ended it; undefined while nothing has. */
  cutOff(): CutOff | undefined;
  clear(): void;
}

export type CutOff = Extract<ActionOutcome, { kind: 'timed-out' | 'cancelled' }>;

/** Longer timers than Node has do not exist: they would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export function limitOf({ timeoutMs, signal }: Pick<ActionRun, 'timeoutMs' | 'signal'>): Limit {
  const stop = new AbortController();
  let cutOff: CutOff | undefined;
  const cut = (why: CutOff): void => {
    cutOff ??= why;
    stop.abort();
  };
  if (signal.aborted) cut({ kind: 'cancelled' });
  const ignoreCancel = onCancel(signal, () => cut({ kind: 'cancelled' }));
  const timer =
    timeoutMs === null
      ? undefined
      : setTimeout(
          () => cut({ kind: 'timed-out', afterMs: timeoutMs, stdout: '', stderr: '' }),
          Math.min(timeoutMs, longestTimerMs),
        );
  return {
    stop: stop.signal,
    cutOff: () => cutOff,
    clear() {
      clearTimeout(timer);
      ignoreCancel();
    },
  };
}
