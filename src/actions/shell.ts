import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { hookVariable } from '../model/control.ts';
import type { ActionOutcome, ActionRun, RunAction, ShellAction } from '../model/index.ts';
import { layer } from './process/mark.ts';
import { type ProcessOptions, runProcess } from './process/run.ts';
import type { Scratch } from './scratch.ts';
import { fitEnvironment } from './shell/environment.ts';
import { type CommandLine, toCommandLine } from './shell/invocation.ts';
import type { Spill } from './spill.ts';

export interface ShellRunnerOptions {
  /** A plain snapshot: reading `process.env` for each hook would be slow. */
  env: Readonly<Record<string, string | undefined>>;
  spill: Spill;
  scratch: Scratch;
  graceMs?: number;
  /** Gets stderr lines of hooks that want it relayed, prefix in front. Contract: does not throw. */
  relay?: (line: string) => void;
  /** Hooks nobody waits for outlive this process. */
  detach?: boolean;
  warn?: (text: string) => void;
}

export function createShellRunner(options: ShellRunnerOptions): RunAction<'shell'> {
  const warn = options.warn ?? (() => {});
  return async (action, run) => {
    if (run.signal.aborted) return { kind: 'cancelled' };
    const reason = textAsCode(action, run);
    if (reason !== undefined) return { kind: 'not-started', reason };
    let commandLine: CommandLine;
    try {
      commandLine = toCommandLine(action.run, options.scratch, warn);
    } catch (error) {
      return { kind: 'not-started', reason: `its script could not be written to a file: ${(error as Error).message}` };
    }
    const { env, files } = fitEnvironment(run.presentation.env, options.scratch, warn);
    const removeFiles = (): void => {
      for (const path of files) options.scratch.remove(path);
      if (commandLine.scriptFile !== undefined) options.scratch.remove(commandLine.scriptFile);
    };
    const task = toProcessOptions(
      action,
      run,
      commandLine,
      layer(options.env, { ...staleFiles(options.env, env), ...env, ...ownKey(run) }),
      options,
    );
    if (run.background && options.detach) {
      const { startDetached } = await import('./shell/detached.ts');
      const started = await startDetached({ ...task, scratch: options.scratch, warn });
      // Once it runs its files stay: it may read them long after we are gone. They go with the old spills.
      if (started.kind === 'not-started') removeFiles();
      return started;
    }
    const outcome = await runProcess(task);
    removeFiles();
    return action.run.via === 'exec' && isSilentSuccess(outcome) ? checkNotEmpty(outcome, task) : outcome;
  };
}

/** Why a variable holds more than the command was compiled for. */
function textAsCode({ run }: ShellAction, { presentation }: ActionRun): string | undefined {
  if (run.via === 'exec' || run.plain === undefined) return undefined;
  for (const [name, kind] of Object.entries(run.plain)) {
    const value = presentation.env[name] ?? '';
    if (!/^(?:[A-Za-z0-9_.][A-Za-z0-9_.-]*)?$/.test(value))
      return `${name} is neither a number nor a plain id, and the command would run it as code`;
    if (kind === 'number' && /\D/.test(value))
      return `${name} is not a number, and the command would take it for the name of a variable`;
  }
  return undefined;
}

/** A session that is asked from within one of its hooks must not let that hook wait for itself. */
const ownKey = ({ key }: ActionRun): Record<string, string> => (key === undefined ? {} : { [hookVariable]: key });

/** A `<NAME>_FILE` of our own environment would be taken for the rest of a value that is whole. */
function staleFiles(
  outer: ShellRunnerOptions['env'],
  env: Readonly<Record<string, string>>,
): Record<string, undefined> {
  const stale: Record<string, undefined> = {};
  for (const name in env) if (outer[`${name}_FILE`] !== undefined) stale[`${name}_FILE`] = undefined;
  return stale;
}

function toProcessOptions(
  action: ShellAction,
  { places, presentation, timeoutMs, signal }: ActionRun,
  { file, args }: CommandLine,
  env: ProcessOptions['env'],
  { spill, graceMs, relay }: ShellRunnerOptions,
): ProcessOptions {
  const prefix = presentation.relayStderr;
  return {
    file,
    args,
    cwd: action.cwd === 'root' ? places.root : places.cwd,
    env,
    timeoutMs,
    signal,
    spill,
    ...(presentation.stdin === undefined ? {} : { stdin: presentation.stdin }),
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(prefix === undefined || relay === undefined ? {} : { relayStderr: line => relay(prefix + line) }),
  };
}

const isSilentSuccess = (outcome: ActionOutcome): boolean =>
  outcome.kind === 'exited' && outcome.exitCode === 0 && outcome.stdout === '' && outcome.stderr === '';

/** The C library runs an empty file as a shell script that succeeds: a gate emptied by accident would let everything pass. */
function checkNotEmpty(outcome: ActionOutcome, { file, cwd }: ProcessOptions): ActionOutcome {
  if (!file.includes('/')) return outcome;
  try {
    const isEmpty = statSync(resolve(cwd, file)).size === 0;
    return isEmpty ? { kind: 'not-started', reason: `the script is empty: ${file}` } : outcome;
  } catch {
    return outcome;
  }
}
