import type { ChildProcess } from 'node:child_process';

export interface Program {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}

export interface StartOptions extends Program {
  stdio: Stdio;
}

export type Stdio = readonly (number | 'ignore' | 'pipe')[];

/** A program on its way, in a process group of its own. */
export interface Running {
  pid: number;
  /** null where input or output is no pipe. */
  pipes: Pipes;
  ended: Promise<End>;
  /** Lets this program end although that one has not. */
  unref(): void;
}

export type Pipes = Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>;

export type End =
  | { kind: 'exited'; exitCode: number }
  | { kind: 'killed'; signal: string }
  | { kind: 'failed'; error: unknown };

/** Contract: a program that cannot be started ends as `failed`; `spawn` throws for some reasons, as Node's does. */
export function startProcess({ file, args, stdio, ...options }: StartOptions): Running {
  // Loaded late, since an event without hooks starts nothing, and without a promise: what is said of a start is written after it.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(file, args, { ...options, detached: true, stdio: [...stdio] });
  const ended = new Promise<End>(resolve => {
    child.on('exit', (exitCode, signal) =>
      resolve(signal === null ? { kind: 'exited', exitCode: exitCode! } : { kind: 'killed', signal }),
    );
    child.on('error', error => resolve({ kind: 'failed', error }));
  });
  return { pid: child.pid!, pipes: child, ended, unref: () => child.unref() };
}
