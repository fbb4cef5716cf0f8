import { closeSync } from 'node:fs';
import type { ReadyProcesses } from '../ready/ports.ts';
import type { Scratch } from '../scratch.ts';
import type { Spill } from '../spill.ts';
import { maxMemoryChars, openInput, writeInput } from './file-input.ts';
import { createFileOutput } from './file-output.ts';
import { createLineRelay } from './line-relay.ts';
import { type Channels, toOutput } from './output.ts';
import { startProcess } from './start.ts';

interface FileOptions {
  stdin?: string;
  spill: Spill;
  scratch: Scratch;
  relayStderr?: (line: string) => void;
  /** Processes that need not be started any more. */
  ready?: ReadyProcesses | undefined;
}

/** How often stderr is looked at for lines to hand on. */
const lookMs = 20;

/** How often it is made sure that no file fills the disk. */
const trimMs = 1000;

/** undefined where files cannot be had; then pipes do. */
export function createFiles({ stdin, spill, scratch, relayStderr, ready }: FileOptions): Channels | undefined {
  const waiting = stdin && stdin.length <= maxMemoryChars ? ready?.take() : undefined;
  const output = createFileOutput(waiting ? { ...spill, open: name => waiting[name] } : spill);
  let input = waiting?.stdin;
  const closeInput = (): void => {
    if (input !== undefined) closeSync(input);
    input = undefined;
  };
  const giveUp = (): undefined => {
    waiting?.end();
    closeInput();
    output?.end();
  };
  if (!output) return giveUp();
  try {
    if (waiting) writeInput(waiting.stdin, stdin!);
    else input = stdin ? openInput(stdin, scratch) : undefined;
  } catch {
    return giveUp();
  }
  const lines = relayStderr && createLineRelay(relayStderr);
  const timers: NodeJS.Timeout[] = [];
  return {
    start: async program =>
      (await waiting?.become(program)) ??
      startProcess({ ...program, stdio: [input ?? 'ignore', output.stdout, output.stderr] }),
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
