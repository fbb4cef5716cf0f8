import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSpill } from '../actions/output-files.ts';
import { runProcess } from '../actions/process/run-process.ts';
import { createMark, stopProcesses } from '../actions/process/stop.ts';
import { createByteMask, createMask } from '../hooks/secrets/create-mask.ts';
import type { AgentStart } from '../model/agent.ts';
import type { ActionOutcome } from '../model/index.ts';
import { joinSignals, onCancel } from '../platform/cancel.ts';
import { spillIndex, stateFolder } from '../platform/folders.ts';

export interface ProgramRun {
  /** Handed to `sh -c`. */
  script: string;
  stdin?: string;
  env?: Readonly<Record<string, string>>;
  signal: AbortSignal;
  onLog?(line: string): void;
}

const graceMs = 2000;

export type Programs = ReturnType<typeof createPrograms>;

/** The processes an agent starts, one after another, and whatever they leave running. */
export function createPrograms(start: Pick<AgentStart, 'cwd' | 'env' | 'signal'>) {
  const mark = createMark();
  const folder = join(stateFolder(start.env) ?? join(tmpdir(), `hookloop-${process.getuid?.() ?? 'user'}`), 'output');
  const hideSecrets = createMask(start.env);
  const running = new Set<Promise<unknown>>();
  const end = new AbortController();
  const stopped: AbortSignal = end.signal;
  /** Ends all of them and everything they started. */
  const stop = async (): Promise<void> => {
    ignoreCancel();
    end.abort();
    await Promise.all(running);
    await stopProcesses({ mark }, graceMs);
  };
  const ignoreCancel = onCancel(start.signal, () => void stop());
  return {
    /** Contract: never rejects. */
    async run({ script, stdin, env, signal, onLog }: ProgramRun): Promise<ActionOutcome> {
      const joined = joinSignals(signal, end.signal);
      const outcome = runProcess({
        file: 'sh',
        args: ['-c', script],
        cwd: start.cwd,
        env: { ...start.env, ...env },
        timeoutMs: null,
        graceMs,
        signal: joined.signal,
        spill: { ...createSpill(folder, spillIndex(start.env)), mask: () => createByteMask(hideSecrets) },
        marker: mark,
        ...(stdin !== undefined && { stdin }),
        ...(onLog && { relayStderr: onLog }),
      });
      running.add(outcome);
      const ended = await outcome;
      running.delete(outcome);
      joined.clear();
      return ended;
    },
    /** Aborted once they are stopped. */
    stopped,
    stop,
  };
}
