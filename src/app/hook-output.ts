import type { ShellRunnerOptions } from '../actions/shell/runner.ts';
import type { Mask } from '../model/mask.ts';
import type { Watcher } from '../model/notice.ts';

/** Shows a watcher the last lines of running hooks, a few times a second at most; undefined where it does not want them. */
export function createHookOutput({ output }: Watcher, mask: Mask): ShellRunnerOptions['watch'] {
  if (!output) return undefined;
  return ({ hook, event }) => {
    const tails = { stdout: createTail(), stderr: createTail() };
    let lastStream: keyof typeof tails = 'stdout';
    let isDue = false;
    const tell = (): void => {
      isDue = false;
      const lines = linesOf(mask(tails[lastStream].text()));
      if (lines.length > 0) output({ hook: hook.id, event: event.name, lines });
    };
    return (stream, chunk) => {
      tails[stream].take(chunk);
      lastStream = stream;
      if (isDue) return;
      isDue = true;
      setTimeout(tell, gapMs).unref();
    };
  };
}

const gapMs = 200;
const maxLines = 20;
/** Far more than is shown: a secret whose beginning is gone would not be known as one. */
const maxTailBytes = 64 * 1024;

function createTail(): { take(chunk: Buffer): void; text(): string } {
  let tail = Buffer.alloc(0);
  return {
    take(chunk) {
      // Copies: whoever else takes the chunk may give its memory back.
      tail = Buffer.concat([tail, chunk.subarray(-maxTailBytes)]).subarray(-maxTailBytes);
    },
    // The line that has just begun may hold the first half of a secret.
    text: () => tail.toString('utf8', 0, Math.max(tail.lastIndexOf(10), tail.lastIndexOf(13)) + 1),
  };
}

const linesOf = (text: string): readonly string[] =>
  text
    .split(/[\r\n]+/)
    .filter(line => line.trim() !== '')
    .slice(-maxLines);
