import type { ActionOutcome, ActionRun } from '../../model/index.ts';

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

/** A timer that may be armed for years. */
export interface Deadline {
  clear(): void;
}

/** setTimeout fires at once beyond 24.8 days, so a long wait goes in steps. */
const stepMs = 3_600_000;

/** Calls `reached` once `timeoutMs` have passed on the monotonic clock; null: never. */
export function createDeadline(timeoutMs: number | null, reached: () => void): Deadline {
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
