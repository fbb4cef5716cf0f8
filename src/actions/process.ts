import type { ActionOutcome } from '../model/index.ts';
import { onCancel } from './process/cancel.ts';
import { createDeadline } from './process/deadline.ts';
import { createFiles } from './process/files.ts';
import { createMark, markedEnv } from './process/mark.ts';
import type { Channels } from './process/output.ts';
import type { Running } from './process/start.ts';
import { stopProcesses } from './process/stop.ts';
import type { ReadyProcesses } from './ready/ports.ts';
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
  /** With `scratch`: processes that need not be started any more. */
  ready?: ReadyProcesses | undefined;
  /** Found again in the environment of everything the process starts. */
  marker?: string;
}

let hasStarted = false;

/** Whether this program has run anything yet. */
export const hasStartedProcess = (): boolean => hasStarted;

/**
 * Runs a program in a process group of its own, to its end or to its deadline.
 * Contract: never rejects; after a timeout or a cancel nothing of it is left running.
 */
export async function runProcess(options: ProcessOptions): Promise<ActionOutcome> {
  if (options.signal.aborted) return { kind: 'cancelled' };
  hasStarted = true;
  const mark = options.marker ?? createMark();
  const { file, args, cwd } = options;
  let channels: Channels | undefined;
  let running: Running;
  try {
    channels = await createChannels(options);
    running = await channels.start({ file, args, cwd, env: markedEnv(options.env, mark) });
  } catch (error) {
    channels?.abandon();
    return notStarted(error, options);
  }
  channels.attach(running.pipes);
  const interruption = watchInterruption(options);
  const end = await Promise.race([running.ended, interruption.happened]);
  interruption.clear();
  if (end.kind === 'failed') {
    channels.abandon();
    return notStarted(end.error, options);
  }
  if (end.kind === 'timed-out' || end.kind === 'cancelled') {
    await stopProcesses({ group: running.pid, mark }, options.graceMs ?? 2000);
    await takeLeave(running);
  }
  const printed = await channels.collect();
  running.unref();
  return end.kind === 'cancelled' ? { kind: 'cancelled' } : { ...end, ...printed };
}

type Interruption = { kind: 'timed-out'; afterMs: number } | { kind: 'cancelled' };

let pipes: typeof import('./process/pipes.ts') | undefined;

async function createChannels({ scratch, ...options }: ProcessOptions): Promise<Channels> {
  const files = scratch && createFiles({ ...options, scratch });
  if (files) return files;
  pipes ??= await import('./process/pipes.ts');
  return pipes.createPipes(options);
}

async function notStarted(error: unknown, options: ProcessOptions): Promise<ActionOutcome> {
  // Where no file can be opened any more, neither can that with the words for it.
  const words = await import('./process/start-failure.ts').catch(() => undefined);
  const { message } = error as Error;
  return {
    kind: 'not-started',
    reason: words?.describeStartFailure(error as NodeJS.ErrnoException, options) ?? message,
  };
}

/** A process that has ended stays as a zombie until its parent has heard of it; we may be gone a moment later. */
const takeLeave = (running: Running): Promise<unknown> =>
  Promise.race([running.ended, new Promise(resolve => setTimeout(resolve, 100).unref())]);

function watchInterruption({ timeoutMs, signal }: ProcessOptions): { happened: Promise<Interruption>; clear(): void } {
  let clear = (): void => {};
  const happened = new Promise<Interruption>(resolve => {
    // It may have come while the program was being started.
    if (signal.aborted) resolve({ kind: 'cancelled' });
    const ignoreCancel = onCancel(signal, () => resolve({ kind: 'cancelled' }));
    const deadline = createDeadline(timeoutMs, () => resolve({ kind: 'timed-out', afterMs: timeoutMs ?? 0 }));
    clear = () => {
      deadline.clear();
      ignoreCancel();
    };
  });
  return { happened, clear: () => clear() };
}
