import type { ActionOutcome } from '../model/index.ts';
import { onCancel } from './process/cancel.ts';
import { createDeadline } from './process/deadline.ts';
import { createMark, markedEnv } from './process/mark.ts';
import { attachPipes } from './process/pipes.ts';
import { type Running, startProcess } from './process/start.ts';
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

/**
 * Runs a program in a process group of its own, to its end or to its deadline.
 * Contract: never rejects; after a timeout or a cancel nothing of it is left running.
 */
export async function runProcess(options: ProcessOptions): Promise<ActionOutcome> {
  if (options.signal.aborted) return { kind: 'cancelled' };
  const mark = options.marker ?? createMark();
  const { file, args, cwd, stdin } = options;
  let running: Running;
  try {
    const env = markedEnv(options.env, mark);
    running = startProcess({ file, args, cwd, env, stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
  } catch (error) {
    return notStarted(error, options);
  }
  const printed = attachPipes(running.pipes, options);
  const interruption = watchInterruption(options);
  const end = await Promise.race([running.ended, interruption.happened]);
  interruption.clear();
  if (end.kind === 'failed') return notStarted(end.error, options);
  if (end.kind === 'timed-out' || end.kind === 'cancelled') {
    await stopProcesses({ group: running.pid, mark }, options.graceMs ?? 2000);
    await takeLeave(running);
  }
  const output = await printed();
  running.unref();
  return end.kind === 'cancelled' ? { kind: 'cancelled' } : { ...end, ...output };
}

type Interruption = { kind: 'timed-out'; afterMs: number } | { kind: 'cancelled' };

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
