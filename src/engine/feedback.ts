import type { Whole } from '../model/cut-text.ts';
import type { ActionOutcome } from '../model/index.ts';

/** What one hook may say to an agent. */
export const maxFeedbackBytes = 32 * 1024;

/** Where all is that a hook has said. Output that was too long to be held has its file already; any other text is kept now. */
export function wholeOf(
  outcome: ActionOutcome,
  text: string,
  bytes: number,
  keep: (text: string) => string | undefined,
): Whole {
  if (!('truncated' in outcome) || !outcome.truncated) return { bytes, path: () => keep(text) };
  const { stdout, stderr } = outcome;
  const { stdoutBytes, stderrBytes, stdoutFile, stderrFile } = outcome.truncated;
  // What was cut and could not be saved is not whole.
  const kept = (stream: string, all: number): string | undefined =>
    all > 0 && Buffer.byteLength(stream) >= all ? keep(stream) : undefined;
  return {
    bytes: stdoutBytes + stderrBytes,
    path() {
      const files = [stdoutFile ?? kept(stdout, stdoutBytes), stderrFile ?? kept(stderr, stderrBytes)];
      return files.filter(file => file !== undefined).join(' and ') || undefined;
    },
  };
}
