import type { ActionOutcome, ActionRun } from '../../model/index.ts';
import { onCancel } from '../../platform/cancel.ts';

/** setTimeout fires at once beyond 24.8 days, so a long wait goes in steps. */
const stepMs = 3_600_000;

/** A timer that may be armed for years: calls `reached` once `timeoutMs` have passed on the monotonic clock; null: never. */
export function createDeadline(timeoutMs: number | null, reached: () => void): { clear(): void } {
  if (timeoutMs === null) return { clear() {} };
  const endMs = monotonicMs() + timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  const arm = (): void => {
    const remainingMs = endMs - monotonicMs();
    // Written so that NaN counts as over: a limit no one understands must not mean "no limit".
    if (!(remainingMs > 0)) reached();
    else timer = setTimeout(arm, Math.min(Math.ceil(remainingMs), stepMs));
  };
  timer = setTimeout(arm, Math.min(Math.max(timeoutMs, 1), stepMs) || 1);
  return { clear: () => clearTimeout(timer) };
}

function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

export type CutOff = Extract<ActionOutcome, { kind: 'timed-out' | 'cancelled' }>;

type Bounds = Pick<ActionRun, 'timeoutMs' | 'signal'>;

/** Calls `cut` when the time is up or someone wants the end, at once where they did before; the result takes it back. */
export function onCutOff({ timeoutMs, signal }: Bounds, cut: (why: CutOff) => void): () => void {
  const cancel = (): void => cut({ kind: 'cancelled' });
  if (signal.aborted) cancel();
  const ignoreCancel = onCancel(signal, cancel);
  const deadline = createDeadline(timeoutMs, () =>
    cut({ kind: 'timed-out', afterMs: timeoutMs ?? 0, stdout: '', stderr: '' }),
  );
  return () => {
    deadline.clear();
    ignoreCancel();
  };
}

/** How long something of ours may go on: until its time is up or someone wants it to end. */
export interface Limit {
  signal: AbortSignal;
  /** What has ended it first; undefined while nothing has. */
  cutOff(): CutOff | undefined;
  clear(): void;
}

export function limitOf(bounds: Bounds): Limit {
  const controller = new AbortController();
  let first: CutOff | undefined;
  const clear = onCutOff(bounds, why => {
    first ??= why;
    controller.abort();
  });
  return { signal: controller.signal, cutOff: () => first, clear };
}
