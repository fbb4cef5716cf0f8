import type { ChildProcess } from 'node:child_process';
import type { ActionOutcome, Output } from '../model/index.ts';
import { onCancel } from './process/cancel.ts';
import { type Captured, createCapture } from './process/capture.ts';
import { createDeadline } from './process/deadline.ts';
import { createLineRelay } from './process/line-relay.ts';
import { createMark, markedEnv } from './process/mark.ts';
import { stopProcesses } from './process/stop.ts';
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
  /** Found again in the environment of everything the process starts. */
  marker?: string;
}

/** How long output may still come once the command itself has ended; a grandchild may hold the pipe for ever. */
const drainMs = 100;

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
  let child: ChildProcess;
  try {
    child = start(spawn, options, mark);
  } catch (error) {
    return notStarted(error, options);
  }
  const ended = watchEnd(child);
  const read = watchPipes(child);
  const output = collectOutput(child, options);
  feed(child, options.stdin);

  const interruption = watchInterruption(options);
  const end = await Promise.race([ended, interruption.happened]);
  interruption.clear();
  if (end.kind === 'failed') return notStarted(end.error, options);
  if (end.kind === 'timed-out' || end.kind === 'cancelled') {
    await stopProcesses({ group: child.pid!, mark }, options.graceMs ?? 2000);
  }
  await drain(child, read);
  const printed = output();
  return end.kind === 'cancelled' ? { kind: 'cancelled' } : { ...end, ...printed };
}

type End =
  | { kind: 'exited'; exitCode: number }
  | { kind: 'killed'; signal: string }
  | { kind: 'failed'; error: unknown };
type Interruption = { kind: 'timed-out'; afterMs: number } | { kind: 'cancelled' };

const start = (spawn: Spawn, { file, args, cwd, env, stdin }: ProcessOptions, mark: string): ChildProcess =>
  spawn(file, args, {
    cwd,
    env: markedEnv(env, mark),
    detached: true,
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });

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

/** Both pipes read to their end: that comes some turns of the event loop before Node calls the process closed. */
const watchPipes = ({ stdout, stderr }: ChildProcess): Promise<unknown> =>
  Promise.all(
    [stdout, stderr].map(
      stream => stream && new Promise(resolve => stream.once('end', resolve).once('close', resolve)),
    ),
  );

function collectOutput(child: ChildProcess, { spill, relayStderr }: ProcessOptions): () => Output {
  const stdout = createCapture('stdout', spill);
  const stderr = createCapture('stderr', spill);
  const lines = relayStderr && createLineRelay(relayStderr);
  // The streams are missing when the system had no file descriptors left for them.
  child.stdout?.on('data', stdout.take).on('error', ignore);
  child.stderr?.on('data', stderr.take).on('error', ignore);
  if (lines) child.stderr?.on('data', lines.take);
  return () => {
    lines?.end();
    return toOutput(stdout.end(), stderr.end());
  };
}

function toOutput(stdout: Captured, stderr: Captured): Output {
  const output = { stdout: stdout.text, stderr: stderr.text };
  if (stdout.cut === undefined && stderr.cut === undefined) return output;
  return {
    ...output,
    truncated: {
      stdoutBytes: stdout.bytes,
      stderrBytes: stderr.bytes,
      ...(stdout.cut?.file === undefined ? {} : { stdoutFile: stdout.cut.file }),
      ...(stderr.cut?.file === undefined ? {} : { stderrFile: stderr.cut.file }),
    },
  };
}

function feed(child: ChildProcess, stdin: string | undefined): void {
  if (!stdin) return;
  // A hook that never reads its stdin closes it early; that EPIPE is its right, not our failure.
  child.stdin?.on('error', ignore).end(stdin);
}

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

/** Waits for the rest of the output, then lets go of the process whatever still holds its pipes. */
async function drain(child: ChildProcess, read: Promise<unknown>): Promise<void> {
  await new Promise<void>(resolve => {
    // One more turn of the event loop: after a busy spell the timer fires before what is in the pipe has been read.
    const timer = setTimeout(() => setImmediate(resolve), drainMs);
    void read.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

function ignore(): void {}
