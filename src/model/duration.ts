/** `500ms`, `30s`, `2m`, `1h`, `1d`. */
export const durationText = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

const unitSeconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** What such a text says in seconds; undefined: it is none. */
export function durationSeconds(text: string): number | undefined {
  const [, amount, unit] = durationText.exec(text) ?? [];
  return unit === undefined ? undefined : Number(amount) * unitSeconds[unit]!;
}

/** How long a session waits for an answer to a question of its own; no answer is a no. */
export const questionWaitMs = 60 * 60_000;

/** Node has no longer timers: they would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** The longest that anyone may have a session wait for its agents. */
export const longestWaitMs = 30 * 86_400_000;
