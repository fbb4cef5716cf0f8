/** How long deliveries and their parts may take. */
export interface Limits {
  /** Sending in all, tries and pauses together. */
  sendMs: number;
  /** One try, from its connection to the answer's status. */
  tryMs: number;
  /** Reading what the receiver says beyond its status. */
  bodyMs: number;
  firstPauseMs: number;
  maxPauseMs: number;
}

export const usualLimits: Limits = {
  sendMs: 60_000,
  tryMs: 20_000,
  bodyMs: 5_000,
  firstPauseMs: 1_000,
  maxPauseMs: 30_000,
};

/** The pause after a failed try: doubled each time, shorter by chance so that many senders part, never shorter than asked for. */
export function pauseMs(tries: number, limits: Limits, retryAfterMs = 0): number {
  const longest = Math.min(limits.firstPauseMs * 2 ** (tries - 1), limits.maxPauseMs);
  return Math.max(longest * (0.5 + Math.random() / 2), retryAfterMs);
}

/** Retry-After in seconds or as a date; 0 for anything else. */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}
