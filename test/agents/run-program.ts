import { spawn } from 'node:child_process';
import type { Place } from './place.ts';

/** The program, running beside the test, which plays the model meanwhile. */
export interface RunningProgram {
  pid: number;
  /** Contract: settles within the limit; a program that takes longer is ended, with all that it started. */
  ended: Promise<{ exit: number | string | null; stdout: string; stderr: string }>;
  kill(signal: 'SIGKILL' | 'SIGINT'): void;
}

const limitMs = 100_000;

export const runProgram = (program: string, args: readonly string[], place: Place): RunningProgram =>
  runCommand([process.execPath, program, ...args], place);

/** Any program, in a place. */
export function runCommand(
  [file = '', ...args]: readonly string[],
  { project, env }: Place,
  more: Readonly<Record<string, string>> = {},
): RunningProgram {
  const child = spawn(file, args, {
    cwd: project,
    env: { ...env, ...more },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', chunk => {
    said.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', chunk => {
    said.stderr += chunk;
  });
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), limitMs);
  const ended = new Promise<{ exit: number | string | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.once('error', reject);
    // Not `close`: what an ended program leaves behind may hold its output open.
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      setImmediate(() => resolve({ exit: signal ?? code, ...said }));
    });
  });
  return { pid: child.pid!, ended, kill: signal => void child.kill(signal) };
}
