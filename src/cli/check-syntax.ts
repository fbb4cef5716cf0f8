import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { Look } from '../discovery/look.ts';
import type { HookDefinition, Places, Position, Problem } from '../model/index.ts';

/** Asks the shells themselves whether they can read the commands and scripts of hooks. Nothing is run. */
export function syntaxProblems(hooks: readonly HookDefinition[], places: Places, look: Look): Problem[] {
  const asked = new Set<string>();
  return hooks.flatMap(hook => {
    const { action, source } = hook;
    if (action.kind !== 'shell' || hook.unavailable !== undefined) return [];
    const { run } = action;
    const key = JSON.stringify([source.file, run.via === 'exec' ? run.file : source.line, action.command]);
    if (asked.has(key)) return [];
    asked.add(key);
    if (run.via === 'exec') return scriptProblem(run.file, source.file, look);
    const text = textOf(resolve(places.root, source.file), look);
    const at = placeOf(action.command, hook, text);
    return [...commandProblem(run.via, run.script, at), ...deviceProblem(run.script, at)];
  });
}

function commandProblem(shell: 'sh' | 'bash', script: string, at: Position): Problem[] {
  const flaw = ask(shell, ['-c', '--', script]);
  if (!flaw) return [];
  const isBash = shell === 'sh' && ask('bash', ['-c', '--', script]) === undefined;
  const line = script.includes('\n') ? ` (line ${flaw.line} of the command)` : '';
  const hint = isBash ? 'this is bash; here commands run with sh: put it in a script that begins with #!/bin/bash' : '';
  return [problem(`${shell} cannot read this command: ${flaw.message}${line}`, at, hint)];
}

/** A hook's output goes to a file, which is emptied when it is opened anew. */
function deviceProblem(script: string, at: Position): Problem[] {
  const device = />\s*\/dev\/(stderr|stdout)\b/.exec(script)?.[1];
  if (device === undefined) return [];
  const hint = device === 'stderr' ? 'write >&2' : 'write >&1, or leave it out';
  return [{ ...problem(`> /dev/${device} empties what the hook has printed before`, at, hint), severity: 'warning' }];
}

/** Scripts of other languages are left to their interpreters. */
function scriptProblem(path: string, file: string, look: Look): Problem[] {
  const text = textOf(path, look) ?? '';
  const shell = /^#!\s*\S*?\/(?:env\s+(?:-S\s+)?(?:\S*\/)?)?(bash|dash|sh)(?=\s)/.exec(text)?.[1];
  const flaw = shell === undefined ? undefined : ask(shell, [path]);
  const device = deviceProblem(text, {
    file,
    line: text.slice(0, text.search(/>\s*\/dev\/std(?:err|out)\b/)).split('\n').length,
    column: 1,
  });
  if (!flaw) return device;
  const lines = text.trimEnd().split('\n');
  // A shell that misses something tells of the line behind the last.
  const line = Math.min(flaw.line, lines.length);
  const lineText = lines[line - 1];
  const at = { file, line, column: 1, ...(lineText && { lineText, length: lineText.length }) };
  return [problem(`${shell} cannot read this script: ${flaw.message}`, at, '')];
}

const problem = (message: string, at: Position, hint: string): Problem => ({
  severity: 'error',
  message,
  ...(hint !== '' && { hint }),
  at,
  refuses: false,
});

interface ShellFlaw {
  line: number;
  message: string;
}

/** undefined where the shell has nothing to say, or is not there. */
function ask(shell: string, args: readonly string[]): ShellFlaw | undefined {
  // BASH_ENV and the like would run something; and messages come in one language.
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  const { status, stderr } = spawnSync(shell, ['-n', ...args], { env, encoding: 'utf8', timeout: 10_000 });
  if (status === null || status === 0) return undefined;
  const [, line, message] = /: (?:-c: )?(?:line )?(\d+): (?:syntax error:? ?)?(.*)/i.exec(stderr) ?? [];
  return { line: Number(line ?? 1), message: message ?? stderr.trim() };
}

function textOf(path: string, look: Look): string | undefined {
  const content = look.text(path);
  return content.kind === 'text' ? content.text : undefined;
}

/** Where the command itself stands if it can be seen in the lines of the hook's entry, else the entry's first line. */
function placeOf(command: string, { source }: HookDefinition, text: string | undefined): Position {
  const { file, line } = source;
  const lines = text?.split('\n').slice(line - 1, line + 19) ?? [];
  const [first = ''] = command.trim().split('\n');
  const found = first === '' ? -1 : lines.findIndex(one => one.includes(first));
  const lineText = lines[Math.max(0, found)];
  if (lineText === undefined) return { file, line, column: 1 };
  const column = found === -1 ? lineText.search(/\S|$/) : lineText.indexOf(first);
  const length = found === -1 ? lineText.length - column : first.length;
  return { file, line: line + Math.max(0, found), column: column + 1, lineText, length: Math.max(1, length) };
}
