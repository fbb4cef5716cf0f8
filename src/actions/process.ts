import type { ChildProcess, StdioOptions } from 'node:child_process';
import type { ActionOutcome } from '../model/index.ts';
import { onCancel } from './process/cancel.ts';
import { createDeadline } from './process/deadline.ts';
import { createFiles } from './process/files.ts';
import { createMark, markedEnv } from './process/mark.ts';
import { createPipes } from './process/pipes.ts';
import { stopProcesses } from './process/stop.ts';
import type { Scratch } from './scratch.ts';
import type { Spill } from './spill.ts';

export interface ProcessOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin?: string;
  /** null: no limit. */
  timeoutMs: number | null;
  graceMs?: number;
  signal: AbortSignal;
  /** Gets each line of stderr as it comes, without its newline. Contract: does not throw. */
  relayStderr?: (line: string) => void;
  spill: Spill;
  /** Given: input and output go through files, which is faster and lets a hook open /dev/stderr. */
  scratch?: Scratch;
  /** Found again in the environment of everything the process starts. */
  marker?: string;
}

type Spawn = typeof import('node:child_process').spawn;

/** Node's process and network code is loaded by the first hook that runs, not for an event without any. */
let spawn: Spawn | undefined;

export const hasStartedProcess = (): boolean => spawn !== undefined;

/**
 * Runs a program in a process group of its own, to its end or to its deadline.
 * Contract: never rejects; after a timeout or a cancel nothing of it is left running.
 */
export async function runProcess(options: ProcessOptions): Promise<ActionOutcome> {
  spawn ??= (await import('node:child_process')).spawn;
  if (options.signal.aborted) return { kind: 'cancelled' };
  const mark = options.marker ?? createMark();
  const channels = (options.scratch && createFiles({ ...options, scratch: options.scratch })) ?? createPipes(options);
  let child: ChildProcess;
  try {
    child = start(spawn, options, channels.stdio, mark);
  } catch (error) {
    channels.abandon();
    return notStarted(error, options);
  }
  const ended = watchEnd(child);
  channels.attach(child);
  const interruption = watchInterruption(options);
  const end = await Promise.race([ended, interruption.happened]);
  interruption.clear();
  if (end.kind === 'failed') {
    channels.abandon();
    return notStarted(end.error, options);
  }
  if (end.kind === 'timed-out' || end.kind === 'cancelled') {
    await stopProcesses({ group: child.pid!, mark }, options.graceMs ?? 2000);
  }
  const printed = await channels.collect(child);
  return end.kind === 'cancelled' ? { kind: 'cancelled' } : { ...end, ...printed };
}

type End =
  | { kind: 'exited'; exitCode: number }
  | { kind: 'killed'; signal: string }
  | { kind: 'failed'; error: unknown };
type Interruption = { kind: 'timed-out'; afterMs: number } | { kind: 'cancelled' };

const start = (
  spawn: Spawn,
  { file, args, cwd, env }: ProcessOptions,
  stdio: StdioOptions,
  mark: string,
): ChildProcess => spawn(file, args, { cwd, env: markedEnv(env, mark), detached: true, stdio });

async function notStarted(error: unknown, options: ProcessOptions): Promise<ActionOutcome> {
  const { describeStartFailure } = await import('./process/start-failure.ts');
  return { kind: 'not-started', reason: describeStartFailure(error as NodeJS.ErrnoException, options) };
}

const watchEnd = (child: ChildProcess): Promise<End> =>
  new Promise(resolve => {
    child.once('exit', (exitCode, signal) =>
      resolve(signal === null ? { kind: 'exited', exitCode: exitCode! } : { kind: 'killed', signal }),
    );
    child.on('error', error => resolve({ kind: 'failed', error }));
  });

function watchInterruption({ timeoutMs, signal }: ProcessOptions): { happened: Promise<Interruption>; clear(): void } {
  let clear = (): void => {};
  const happened = new Promise<Interruption>(resolve => {
    const ignoreCancel = onCancel(signal, () => resolve({ kind: 'cancelled' }));
    const deadline = createDeadline(timeoutMs, () => resolve({ kind: 'timed-out', afterMs: timeoutMs ?? 0 }));
    clear = () => {
      deadline.clear();
      ignoreCancel();
    };
  });
  return { happened, clear: () => clear() };
}
