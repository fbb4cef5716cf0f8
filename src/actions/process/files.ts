import { closeSync } from 'node:fs';
import type { Scratch } from '../scratch.ts';
import type { Spill } from '../spill.ts';
import { openInput } from './file-input.ts';
import { createFileOutput } from './file-output.ts';
import { createLineRelay } from './line-relay.ts';
import { type Channels, toOutput } from './output.ts';

interface FileOptions {
  stdin?: string;
  spill: Spill;
  scratch: Scratch;
  relayStderr?: (line: string) => void;
}

/** How often stderr is looked at for lines to hand on. */
const lookMs = 20;

/** How often it is made sure that no file fills the disk. */
const trimMs = 1000;

/** undefined where files cannot be had; then pipes do. */
export function createFiles({ stdin, spill, scratch, relayStderr }: FileOptions): Channels | undefined {
  const output = createFileOutput(spill);
  if (!output) return undefined;
  let input: number | undefined;
  try {
    input = stdin ? openInput(stdin, scratch) : undefined;
  } catch {
    output.end();
    return undefined;
  }
  const lines = relayStderr && createLineRelay(relayStderr);
  const timers: NodeJS.Timeout[] = [];
  const closeInput = (): void => {
    if (input !== undefined) closeSync(input);
    input = undefined;
  };
  return {
    stdio: [input ?? 'ignore', output.stdout, output.stderr],
    attach() {
      closeInput();
      if (lines) timers.push(setInterval(() => lines.take(output.newStderr()), lookMs));
      timers.push(setInterval(output.trim, trimMs));
    },
    collect() {
      for (const timer of timers) clearInterval(timer);
      for (let chunk = lines ? output.newStderr() : undefined; chunk && chunk.length > 0; chunk = output.newStderr())
        lines?.take(chunk);
      lines?.end();
      const { stdout, stderr } = output.end();
      return toOutput(stdout, stderr);
    },
    abandon() {
      closeInput();
      for (const timer of timers) clearInterval(timer);
      output.end();
    },
  };
}
