import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SessionRequest } from '../../app/prepare.ts';
import { durationSeconds, longestWaitMs } from '../../model/duration.ts';
import { isObject } from '../../model/json.ts';
import { type Limits, limitKey, limitUnits, readLimit } from '../../model/limits.ts';
import { type Arguments, type Option, UsageError } from '../command.ts';
import { InputError, type Io } from '../io.ts';

export const runOptions = {
  prompt: { value: 'TEXT', doc: 'one stage with this prompt' },
  'prompt-file': { value: 'FILE', doc: 'one stage with the prompt in FILE' },
  tasks: { value: 'FILE', doc: 'the tasks of this Markdown checklist (- [ ] ...), one after the other' },
  agent: {
    value: 'AGENT',
    doc: 'claude, codex, gemini, qwen, opencode, acp:COMMAND, command:COMMAND, scripted:FILE; given again: takes over while the first is limited',
    repeats: true,
  },
  session: { value: 'NAME', doc: 'name of the session (default: from the pipeline and the time)' },
  'max-iterations': { value: 'N', doc: 'at most N iterations per stage' },
  'max-retries': { value: 'N', doc: 'fix attempts per task when a gate fails (default 3)' },
  'max-failures': { value: 'N', doc: 'failed iterations in a row that end the session' },
  'max-cost': { value: 'USD', doc: 'what the session may cost; it stops then and can be resumed' },
  'max-tokens': { value: 'N', doc: 'how many tokens it may use: 500k, 2M' },
  'max-time': { value: 'TIME', doc: 'how long agent and hooks may work: 30m, 3h' },
  'max-turns': { value: 'N', doc: 'how many turns the agent may have' },
  'turn-timeout': {
    value: 'SECONDS',
    doc: 'the longest that a turn of the agent may take (default 3600, 0 = no limit)',
  },
  'max-wait': {
    value: 'TIME',
    doc: 'the longest pause while the agents are limited: 90s, 30m, 6h, 1d (default 12h, 0 = none)',
  },
  permissions: { value: 'allow|ask', doc: 'what happens to tool calls that no hook refuses (default allow)' },
  input: { value: 'FILE.json', doc: 'inputs for prompts, as ${INPUTS.name}' },
  set: { value: 'KEY=VALUE', doc: 'one input; may be given more than once', repeats: true },
  quiet: { doc: 'print only what goes wrong and what is waiting for a person' },
  'require-trust': { doc: 'run nothing unless the hooks of this project are trusted (see hookloop trust)' },
  'no-hooks': { doc: 'run no hooks at all' },
} as const satisfies Record<string, Option>;

const defaultTurnSeconds = 3600;

/** Contract: throws UsageError and InputError. */
export function readRequest({ positionals, values, lists, flags }: Arguments, io: Io): SessionRequest {
  const [pipeline] = positionals;
  const prompt = promptOf(values, io);
  const tasks = values['tasks'];
  if (pipeline !== undefined && prompt !== undefined)
    throw new UsageError('a pipeline has its own prompts: leave out --prompt');
  if (prompt !== undefined && tasks !== undefined)
    throw new UsageError('--tasks has its own prompt: leave out --prompt');
  if (pipeline === undefined && prompt === undefined && tasks === undefined)
    throw new UsageError('what should run? Name a PIPELINE, or give --prompt TEXT, --prompt-file FILE or --tasks FILE');
  const { session } = values;
  return {
    ...{ pipeline, prompt, session, agent: lists['agent'] },
    tasksFile: tasks === undefined ? undefined : resolve(io.cwd, tasks),
    maxIterations: wholeNumber(values, 'max-iterations', 1),
    maxRetries: wholeNumber(values, 'max-retries', 0),
    maxFailures: wholeNumber(values, 'max-failures', 1),
    limits: readLimits(values),
    turnTimeoutMs: turnTimeoutMs(values['turn-timeout']),
    maxWaitMs: maxWaitMs(values['max-wait']),
    permissions: permissionsOf(values['permissions']),
    values: { ...inputsOf(values['input'], io), ...Object.fromEntries((lists['set'] ?? []).map(splitSetting)) },
    noHooks: flags.has('no-hooks'),
    requireTrust: flags.has('require-trust'),
  };
}

/** Options of `run` and `resume` that limit what a session spends. */
export const limitOptions = {
  'max-cost': runOptions['max-cost'],
  'max-tokens': runOptions['max-tokens'],
  'max-time': runOptions['max-time'],
  'max-turns': runOptions['max-turns'],
} as const;

/** Contract: throws UsageError. */
export function readLimits(values: Arguments['values']): Limits | undefined {
  const limits: Limits = {};
  for (const unit of limitUnits) {
    const written = values[`max-${unit}`];
    if (written === undefined) continue;
    const read = readLimit(unit, written);
    if (read.kind === 'flaw') throw new UsageError(`--max-${unit} ${written}: ${read.message}; ${read.hint}`);
    limits[limitKey[unit]] = read.value;
  }
  return Object.keys(limits).length === 0 ? undefined : limits;
}

function promptOf(values: Arguments['values'], io: Io): string | undefined {
  const { prompt, 'prompt-file': file } = values;
  if (prompt !== undefined && file !== undefined) throw new UsageError('give --prompt or --prompt-file, not both');
  const text = file === undefined ? prompt : readText(file, io, '--prompt-file');
  if (text?.trim() === '') throw new UsageError('the prompt is empty');
  return text;
}

function wholeNumber(values: Arguments['values'], name: string, least: number): number | undefined {
  const written = values[name];
  if (written === undefined) return undefined;
  const value = Number(written);
  if (/^\d+$/.test(written) && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${name} ${written}: write a whole number of at least ${least}`);
}

function turnTimeoutMs(written: string | undefined): number | null {
  const seconds = written === undefined ? defaultTurnSeconds : Number(written);
  if (written?.trim() === '' || !Number.isFinite(seconds) || seconds < 0)
    throw new UsageError(`--turn-timeout ${written}: write seconds, 0 for none`);
  return seconds === 0 ? null : seconds * 1000;
}

/** A bare number is seconds, as in files. Contract: throws UsageError. */
export function maxWaitMs(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(written) ? Number(written) : durationSeconds(written);
  if (seconds === undefined || !Number.isFinite(seconds))
    throw new UsageError(`--max-wait ${written}: write a time such as 90s, 30m, 6h or 1d`);
  if (seconds * 1000 > longestWaitMs) throw new UsageError(`--max-wait ${written}: at most 30d`);
  return Math.round(seconds * 1000);
}

function permissionsOf(written = 'allow'): 'allow' | 'ask' {
  if (written === 'allow' || written === 'ask') return written;
  throw new UsageError(`--permissions ${written}: write allow or ask`);
}

function inputsOf(file: string | undefined, io: Io): Readonly<Record<string, unknown>> {
  if (file === undefined) return {};
  const text = readText(file, io, '--input');
  try {
    const values: unknown = JSON.parse(text);
    if (isObject(values)) return values;
  } catch (error) {
    throw new InputError(`--input ${file}: not valid JSON: ${(error as Error).message}`);
  }
  throw new InputError(`--input ${file}: not a JSON object`);
}

function splitSetting(written: string): [string, string] {
  const at = written.indexOf('=');
  if (at < 1) throw new UsageError(`--set ${written}: write KEY=VALUE`);
  return [written.slice(0, at), written.slice(at + 1)];
}

/** Contract: throws UsageError where it cannot be read. */
export function readText(file: string, io: Io, option: string): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new UsageError(
      `${option} ${file}: ${(error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message}`,
    );
  }
}
