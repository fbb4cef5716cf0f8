import type { ChildProcess, spawn } from 'node:child_process';

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
  /** null where input or output are no pipes. */
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
export async function startProcess(options: StartOptions): Promise<Running> {
  return startThroughHandle(options) ?? startThroughModule(options, await loadSpawn());
}

let loaded: typeof spawn | undefined;

const loadSpawn = async (): Promise<typeof spawn> => (loaded ??= (await import('node:child_process')).spawn);

function startThroughModule({ file, args, stdio, ...options }: StartOptions, spawnIt: typeof spawn): Running {
  const child = spawnIt(file, args, { ...options, detached: true, stdio: [...stdio] });
  const ended = new Promise<End>(resolve => {
    child.once('exit', (exitCode, signal) =>
      resolve(signal === null ? { kind: 'exited', exitCode: exitCode! } : { kind: 'killed', signal }),
    );
    child.on('error', error => resolve({ kind: 'failed', error }));
  });
  return { pid: child.pid!, pipes: child, ended, unref: () => child.unref() };
}

/** What `node:child_process` itself starts programs with. */
interface ProcessHandle {
  pid: number;
  onexit: (exitCode: number, signal: string | null) => void;
  spawn(options: object): number;
  close(): void;
  unref(): void;
}

/**
 * Loading `node:child_process` with its sockets and streams takes longer than a short hook. Where no pipe is needed Node's
 * handle alone does. undefined where there is none or the start fails: then the module starts it, or says why it cannot.
 */
function startThroughHandle({ file, args, cwd, env, stdio }: StartOptions): Running | undefined {
  // Whoever has the module gains nothing.
  if (loaded || stdio.includes('pipe')) return undefined;
  const texts = [file, cwd, ...args];
  const envPairs = envPairsOf(env);
  // The handle would cut a text at its NUL; the module refuses it.
  if (texts.some(hasNul) || envPairs.some(hasNul)) return undefined;
  try {
    const handle = createHandle();
    const ended = new Promise<End>(resolve => {
      handle.onexit = (exitCode, signal) => {
        handle.close();
        resolve(signal ? { kind: 'killed', signal } : { kind: 'exited', exitCode });
      };
    });
    const files = stdio.map(end => (end === 'ignore' ? { type: 'ignore' } : { type: 'fd', fd: end }));
    const code = handle.spawn({ file, args: [file, ...args], cwd, envPairs, detached: true, stdio: files });
    if (code === 0) return { pid: handle.pid, pipes: noPipes, ended, unref: () => handle.unref() };
    handle.close();
  } catch {
    // The module tells.
  }
  return undefined;
}

/** What the system takes for an environment. */
export function envPairsOf(env: Program['env']): string[] {
  const pairs: string[] = [];
  for (const name in env) if (env[name] !== undefined) pairs.push(`${name}=${env[name]}`);
  return pairs;
}

/** `process.binding` is kept for programs that need what no module offers. */
function createHandle(): ProcessHandle {
  const { binding } = process as unknown as { binding(name: string): { Process: new () => ProcessHandle } };
  const { Process } = binding('process_wrap');
  return new Process();
}

export const noPipes: Pipes = { stdin: null, stdout: null, stderr: null };

const hasNul = (text: string): boolean => text.includes('\0');
