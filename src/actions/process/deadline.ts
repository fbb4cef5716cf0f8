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
    // Written so that NaN counts as over: a limit nobody understands must not mean "no limit".
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
