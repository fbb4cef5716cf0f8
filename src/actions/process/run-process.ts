import type { ChildProcess } from 'node:child_process';
import type { ActionOutcome, Output } from '../../model/index.ts';
import type { Spill } from '../output-files.ts';
import { type Captured, createCapture } from './capture.ts';
import { type CutOff, onCutOff } from './limit.ts';
import { createLineRelay } from './line-relay.ts';
import { createMark, markedEnv, stopProcesses } from './stop.ts';

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
  /** Gets what is printed as it comes. Contract: does not throw, does not keep the chunk. */
  watch?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  spill: Spill;
  /** Found again in the environment of everything the process starts. */
  marker?: string;
}

/**
 * Runs a program in a process group of its own, to its end or to its deadline.
 * Contract: never rejects; after a timeout or a cancel nothing of it is left running.
 */
export async function runProcess(options: ProcessOptions): Promise<ActionOutcome> {
  if (options.signal.aborted) return { kind: 'cancelled' };
  const mark = options.marker ?? createMark();
  let child: ChildProcess;
  try {
    child = start(options, mark);
  } catch (error) {
    return notStarted(error, options);
  }
  const ended = endOf(child);
  const printed = attachPipes(child, options);
  let forget = ignore;
  const cutOff = new Promise<CutOff>(resolve => {
    forget = onCutOff(options, resolve);
  });
  const end = await Promise.race([ended, cutOff]);
  forget();
  if (end.kind === 'failed') return notStarted(end.error, options);
  if (end.kind === 'timed-out' || end.kind === 'cancelled') {
    await stopProcesses({ group: child.pid!, mark }, options.graceMs ?? 2000);
    // A process that has ended stays as a zombie until its parent has heard of it; we may be gone a moment later.
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, 100).unref())]);
  }
  const output = await printed();
  child.unref();
  return end.kind === 'cancelled' ? end : { ...end, ...output };
}

/** Contract: throws for some reasons, as Node's `spawn` does; for others the child fails. */
function start({ file, args, cwd, env, stdin }: ProcessOptions, mark: string): ChildProcess {
  // Loaded late, since an event without hooks starts nothing, and without a promise: what is said of a start is written after it.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const stdio = [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const;
  return spawn(file, args, { cwd, env: markedEnv(env, mark), detached: true, stdio: [...stdio] });
}

type End =
  | { kind: 'exited'; exitCode: number }
  | { kind: 'killed'; signal: string }
  | { kind: 'failed'; error: unknown };

const endOf = (child: ChildProcess): Promise<End> =>
  new Promise(resolve => {
    child.on('exit', (exitCode, signal) =>
      resolve(signal === null ? { kind: 'exited', exitCode: exitCode! } : { kind: 'killed', signal }),
    );
    child.on('error', error => resolve({ kind: 'failed', error }));
  });

async function notStarted(error: unknown, options: ProcessOptions): Promise<ActionOutcome> {
  // Where no file can be opened any more, neither can that with the words for it.
  const words = await import('./start-failure.ts').catch(() => undefined);
  const { message } = error as Error;
  return {
    kind: 'not-started',
    reason: words?.describeStartFailure(error as NodeJS.ErrnoException, options) ?? message,
  };
}

/** How long output may still come once the command itself has ended; a grandchild may hold the pipe for ever. */
const drainMs = 100;

/** Writes the input and reads both outputs of a process that has just been started. The result waits for the rest of what it printed. */
function attachPipes(child: ChildProcess, { stdin, spill, relayStderr, watch }: ProcessOptions): () => Promise<Output> {
  const stdout = createCapture('stdout', spill);
  const stderr = createCapture('stderr', spill);
  const lines = relayStderr && createLineRelay(relayStderr);
  if (lines) child.stderr?.on('data', lines.take);
  if (watch) {
    child.stdout?.on('data', (chunk: Buffer) => watch('stdout', chunk));
    child.stderr?.on('data', (chunk: Buffer) => watch('stderr', chunk));
  }
  // They are missing when the system had no file descriptors left for them.
  child.stdout?.on('data', stdout.take).on('error', ignore);
  child.stderr?.on('data', stderr.take).on('error', ignore);
  const closed = new Promise(resolve => child.once('close', resolve));
  // Node's sockets look at it when they are closed, and it takes a while to be made: better while the hook runs than once it has ended.
  process.nextTick(() => process.stderr);
  // A hook that never reads its stdin closes it early; that EPIPE is its right, not our failure.
  if (stdin) child.stdin?.on('error', ignore).end(stdin);
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    // One more turn of the event loop: after a busy spell the timer fires before what is in the pipe has been read.
    const drained = new Promise(resolve => {
      timer = setTimeout(() => setImmediate(resolve), drainMs);
    });
    await Promise.race([closed, drained]);
    clearTimeout(timer);
    for (const stream of child.stdio) stream?.destroy();
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
      ...(stdout.cut?.file !== undefined && { stdoutFile: stdout.cut.file }),
      ...(stderr.cut?.file !== undefined && { stderrFile: stderr.cut.file }),
    },
  };
}

function ignore(): void {}
