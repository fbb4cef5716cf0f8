import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionOutcome } from '../../model/index.ts';
import { isExecutable } from '../../platform/files.ts';
import type { Scratch } from '../output-files.ts';
import type { ProcessOptions } from '../process/run-process.ts';
import { describeStartFailure } from '../process/start-failure.ts';
import { createMark, markedEnv } from '../process/stop.ts';

/** Starts a program that outlives this process: output to a file, no one waits. An exit code of 0 says only that it started. */
export async function startDetached(
  options: ProcessOptions,
  scratch: Scratch,
  warn: (text: string) => void,
): Promise<ActionOutcome> {
  const open: number[] = [];
  try {
    const stdin = options.stdin ? openInput(options.stdin, scratch) : 'ignore';
    if (stdin !== 'ignore') open.push(stdin);
    const output = openOutput(options, warn);
    if (output !== 'ignore') open.push(output);
    const { file, args } = withDeadline(options);
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: markedEnv(options.env, createMark()),
      detached: true,
      stdio: [stdin, output, output],
    });
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return { kind: 'exited', exitCode: 0, stdout: '', stderr: '' };
  } catch (error) {
    return { kind: 'not-started', reason: describeStartFailure(error as NodeJS.ErrnoException, options) };
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** A file without a name, which is gone once it has been read. */
function openInput(text: string, scratch: Scratch): number {
  const path = scratch.write('stdin', text);
  try {
    return openSync(path, 'r');
  } finally {
    scratch.remove(path);
  }
}

/** A full disk costs the hook's output, not the hook. */
function openOutput({ spill }: ProcessOptions, warn: (text: string) => void): number | 'ignore' {
  try {
    return spill.open('stdout').fd;
  } catch (error) {
    warn(`the output of a hook in the background is not kept: ${(error as Error).message}`);
    return 'ignore';
  }
}

/** We shall not be there to end the program, so `timeout` does, where the system has it. */
function withDeadline({ file, args, timeoutMs, env }: ProcessOptions): { file: string; args: readonly string[] } {
  const folders = (env['PATH'] ?? '').split(':').filter(folder => folder.startsWith('/'));
  const timeout = folders.map(folder => join(folder, 'timeout')).find(isExecutable);
  if (timeoutMs === null || timeout === undefined) return { file, args };
  const seconds = Math.max(1, Math.ceil(timeoutMs / 1000));
  return { file: timeout, args: ['-k', '2', String(seconds), file, ...args] };
}
