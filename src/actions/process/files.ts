import { closeSync } from 'node:fs';
import type { Scratch } from '../scratch.ts';
import type { Spill } from '../spill.ts';
import { createFileOutput, openInput } from './file-output.ts';
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
  let timer: NodeJS.Timeout | undefined;
  const closeInput = (): void => {
    if (input !== undefined) closeSync(input);
    input = undefined;
  };
  return {
    stdio: [input ?? 'ignore', output.stdout, output.stderr],
    attach() {
      closeInput();
      if (lines) timer = setInterval(() => lines.take(output.newStderr()), lookMs);
    },
    async collect(child) {
      clearInterval(timer);
      for (let chunk = lines ? output.newStderr() : undefined; chunk && chunk.length > 0; chunk = output.newStderr())
        lines?.take(chunk);
      lines?.end();
      child.unref();
      const { stdout, stderr } = output.end();
      return toOutput(stdout, stderr);
    },
    abandon() {
      closeInput();
      clearInterval(timer);
      output.end();
    },
  };
}
