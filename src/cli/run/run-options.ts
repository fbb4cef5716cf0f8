import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SessionRequest } from '../../app/prepare.ts';
import { isObject } from '../../model/json.ts';
import { type Arguments, type Option, UsageError } from '../command.ts';
import { InputError, type Io } from '../io.ts';

export const runOptions = {
  prompt: { value: 'TEXT', doc: 'one stage with this prompt' },
  'prompt-file': { value: 'FILE', doc: 'one stage with the prompt in FILE' },
  tasks: { value: 'FILE', doc: 'the tasks of this Markdown checklist (- [ ] ...), one after the other' },
  agent: { value: 'AGENT', doc: 'claude, codex, gemini, qwen, opencode, acp:COMMAND, command:COMMAND, scripted:FILE' },
  session: { value: 'NAME', doc: 'name of the session (default: from the pipeline and the time)' },
  'max-iterations': { value: 'N', doc: 'at most N iterations per stage' },
  'max-retries': { value: 'N', doc: 'fix attempts per task when a gate fails (default 3)' },
  'max-failures': { value: 'N', doc: 'failed iterations in a row that end the session' },
  'turn-timeout': {
    value: 'SECONDS',
    doc: 'the longest that a turn of the agent may take (default 3600, 0 = no limit)',
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
  const { agent, session } = values;
  return {
    ...{ pipeline, prompt, agent, session },
    tasksFile: tasks === undefined ? undefined : resolve(io.cwd, tasks),
    maxIterations: wholeNumber(values, 'max-iterations', 1),
    maxRetries: wholeNumber(values, 'max-retries', 0),
    maxFailures: wholeNumber(values, 'max-failures', 1),
    turnTimeoutMs: turnTimeoutMs(values['turn-timeout']),
    permissions: permissionsOf(values['permissions']),
    values: { ...inputsOf(values['input'], io), ...Object.fromEntries((lists['set'] ?? []).map(splitSetting)) },
    noHooks: flags.has('no-hooks'),
    requireTrust: flags.has('require-trust'),
  };
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
