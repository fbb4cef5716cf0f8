import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { hookVariable } from '../../model/control.ts';
import { wholeLength } from '../../model/cut-text.ts';
import type { ActionOutcome, ActionRun, Invocation, RunAction } from '../../model/index.ts';
import type { Scratch, Spill } from '../output-files.ts';
import { type ProcessOptions, runProcess } from '../process/run-process.ts';

export interface ShellRunnerOptions {
  /** A plain snapshot: reading `process.env` for each hook would be slow. */
  env: Readonly<Record<string, string | undefined>>;
  spill: Spill;
  scratch: Scratch;
  graceMs?: number;
  /** Gets stderr lines of hooks that want it relayed, prefix in front. Contract: does not throw. */
  relay?: ((line: string) => void) | undefined;
  /** Who sees what a hook prints while it is running. */
  watch?: ((run: ActionRun) => NonNullable<ProcessOptions['watch']>) | undefined;
  /** Hooks no one waits for outlive this process. */
  detach?: boolean | undefined;
  warn?: ((text: string) => void) | undefined;
}

export function createShellRunner(options: ShellRunnerOptions): RunAction<'shell'> {
  const { scratch, relay, graceMs, warn = () => {} } = options;
  return async (action, run) => {
    const { places, presentation, timeoutMs, signal } = run;
    if (signal.aborted) return { kind: 'cancelled' };
    const reason = textAsCode(action.run, run);
    if (reason !== undefined) return { kind: 'not-started', reason };
    let commandLine: CommandLine;
    try {
      commandLine = toCommandLine(action.run, scratch, warn);
    } catch (error) {
      return { kind: 'not-started', reason: `its script could not be written to a file: ${(error as Error).message}` };
    }
    const { file, args, scriptFiles } = commandLine;
    const { env, files } = fitEnvironment(presentation.env, scratch, warn);
    const removeFiles = (): void => {
      for (const path of [...files, ...scriptFiles]) scratch.remove(path);
    };
    const prefix = presentation.relayStderr;
    const task: ProcessOptions = {
      file,
      args,
      // What makes a worktree ready works in it.
      cwd: run.event.workspace ?? (action.cwd === 'root' ? places.root : places.cwd),
      env: { ...options.env, ...staleFiles(options.env, env), ...env, ...ownKey(run) },
      timeoutMs,
      signal,
      spill: options.spill,
      ...(presentation.stdin !== undefined && { stdin: presentation.stdin }),
      ...(graceMs !== undefined && { graceMs }),
      ...(prefix !== undefined && relay && { relayStderr: (line: string) => relay(prefix + line) }),
      ...(options.watch && { watch: options.watch(run) }),
    };
    if (run.background && options.detach) {
      const { startDetached } = await import('./detached.ts');
      const started = await startDetached(task, scratch, warn);
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
function textAsCode(run: Invocation, { presentation }: ActionRun): string | undefined {
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

/** What is handed to the system, and the file that holds the script where it is too long for an argument. */
interface CommandLine {
  file: string;
  args: readonly string[];
  scriptFiles: readonly string[];
}

/** Linux refuses an argument over 128 KiB, counting the NUL at its end. */
const maxArgumentBytes = 128 * 1024 - 1;

/** Contract: throws only if a long script cannot be written to its file. */
function toCommandLine(run: Invocation, scratch: Scratch, warn: (text: string) => void): CommandLine {
  const clean = (text: string): string => withoutNul(text, 'the command', warn);
  if (run.via === 'exec') return { file: clean(run.file), args: run.args.map(clean), scriptFiles: [] };
  const script = clean(run.script);
  if (script.length * 3 <= maxArgumentBytes || Buffer.byteLength(script) <= maxArgumentBytes) {
    // A script that starts with a dash would be taken for an option.
    const options = /^[-+]/.test(script) ? ['-c', '--'] : ['-c'];
    return { file: run.via, args: [...options, script], scriptFiles: [] };
  }
  const path = scratch.write('script', script);
  return { file: run.via, args: [path], scriptFiles: [path] };
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

/** Linux refuses an environment string over 128 KiB, and a whole environment over a quarter of the stack limit. */
const maxValueBytes = 96 * 1024;
const maxTotalBytes = 768 * 1024;

/** What fits goes as it is. A longer value is cut, and `<NAME>_FILE` names a file that has all of it, to be removed after the hook. */
function fitEnvironment(
  values: Readonly<Record<string, string>>,
  scratch: Scratch,
  warn: (text: string) => void,
): { env: Record<string, string>; files: readonly string[] } {
  const env: Record<string, string> = {};
  const files: string[] = [];
  for (const name in values) env[name] = withoutNul(values[name]!, name, warn);
  const limit = valueLimit(env);
  for (const name of Object.keys(env)) {
    const value = env[name]!;
    if (!isLonger(value, limit)) continue;
    const bytes = Buffer.from(value);
    env[name] = bytes.toString('utf8', 0, wholeLength(bytes, limit));
    const fileName = `${name}_FILE`;
    if (Object.hasOwn(values, fileName)) {
      warn(`${name} was cut to ${limit} bytes; ${fileName} already means something else, so the rest is not passed on`);
      continue;
    }
    try {
      env[fileName] = scratch.write(name, value);
      files.push(env[fileName]);
    } catch (error) {
      warn(`${name} was cut to ${limit} bytes and could not be written to a file: ${(error as Error).message}`);
    }
  }
  return { env, files };
}

/** NUL cannot stand in an argument or a variable: with it nothing would start. */
function withoutNul(text: string, what: string, warn: (text: string) => void): string {
  if (!text.includes('\0')) return text;
  warn(`NUL characters were removed from ${what}`);
  return text.replaceAll('\0', '');
}

/** Many values that fit one by one may still be too much together; then each gets less. */
function valueLimit(env: Readonly<Record<string, string>>): number {
  let limit = maxValueBytes;
  while (limit > 1024 && totalBytes(env, limit) > maxTotalBytes) limit /= 4;
  return limit;
}

function totalBytes(env: Readonly<Record<string, string>>, limit: number): number {
  let total = 0;
  for (const name in env) total += name.length + 2 + Math.min(limit, env[name]!.length * 3);
  return total;
}

/** A UTF-16 unit is at most three bytes of UTF-8, so short texts need no counting. */
const isLonger = (text: string, maxBytes: number): boolean =>
  text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
