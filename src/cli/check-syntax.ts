import type { Look } from '../hooks/discovery/look.ts';
import type { HookDefinition, Places, Position, Problem } from '../model/index.ts';
import { createPlaceIn } from './hook-place.ts';
import { askShells, type Question, type ShellFlaw } from './shell-flaws.ts';

/** Asks the shells themselves whether they can read the commands and scripts of hooks. Nothing is run. */
export function syntaxProblems(hooks: readonly HookDefinition[], places: Places, look: Look): Problem[] {
  const texts = textsOf(hooks, look);
  const flaws = askShells(texts.map(({ question }) => question));
  const placeIn = createPlaceIn(places, look);
  const bashOnly = readableByBash(texts.map(({ question }) => question).filter((_, at) => flaws[at]));
  return texts.flatMap(({ hook, question, content }, at) => {
    const flaw = flaws[at];
    if (question.kind === 'file') return scriptProblems(hook.source.file, content, question.shell, flaw);
    const place = placeIn(hook.source, firstLineOf(hook));
    const found = flaw ? [commandProblem(question, flaw, place, bashOnly.has(question.text))] : [];
    return [...found, ...deviceProblem(content, place)];
  });
}

interface HookText {
  hook: HookDefinition;
  question: Question;
  content: string;
}

const firstLineOf = ({ action }: HookDefinition): string =>
  action.kind === 'shell' ? action.command.trim().split('\n')[0]! : '';

/** Each command and script once, however many hooks name it. */
function textsOf(hooks: readonly HookDefinition[], look: Look): HookText[] {
  const texts = new Map<string, HookText>();
  for (const hook of hooks) {
    const { action, source } = hook;
    if (action.kind !== 'shell' || hook.unavailable !== undefined) continue;
    const { run } = action;
    const script = run.via === 'exec' ? scriptOf(run) : undefined;
    const key = JSON.stringify([source.file, script?.path ?? source.line, action.command]);
    if (texts.has(key)) continue;
    const content = run.via === 'exec' ? (textOf(script!.path, look) ?? '') : run.script;
    const question: Question =
      run.via === 'exec'
        ? { shell: script!.shell ?? shellOf(content), kind: 'file', text: script!.path }
        : { shell: run.via, kind: 'command', text: run.script };
    texts.set(key, { hook, question, content });
  }
  return [...texts.values()];
}

/** A script without a #! line is given to a shell by name. */
const scriptOf = ({ file, args }: { file: string; args: readonly string[] }): { path: string; shell?: string } =>
  file === 'bash' && args.length === 1 ? { path: args[0]!, shell: file } : { path: file };

/** Empty where another program reads the script: it is left to that. */
const shellOf = (content: string): string =>
  /^#!\s*\S*?\/(?:env\s+(?:-S\s+)?(?:\S*\/)?)?(bash|dash|sh)(?=\s)/.exec(content)?.[1] ?? '';

function readableByBash(questions: readonly Question[]): ReadonlySet<string> {
  const commands = questions.filter(({ kind, shell }) => kind === 'command' && shell === 'sh');
  const flaws = askShells(commands.map(question => ({ ...question, shell: 'bash' })));
  return new Set(commands.filter((_, at) => flaws[at] === undefined).map(({ text }) => text));
}

function commandProblem({ shell, text }: Question, flaw: ShellFlaw, at: Position, isBash: boolean): Problem {
  const line = text.includes('\n') ? ` (line ${flaw.line} of the command)` : '';
  const hint = isBash ? 'this is bash; here commands run with sh: put it in a script that begins with #!/bin/bash' : '';
  return problem(`${shell} cannot read this command: ${flaw.message}${line}`, at, hint);
}

/** A hook's output goes to a file, which is emptied when it is opened anew. */
function deviceProblem(script: string, at: Position): Problem[] {
  const device = />\s*\/dev\/(stderr|stdout)\b/.exec(script)?.[1];
  if (device === undefined) return [];
  const hint = device === 'stderr' ? 'write >&2' : 'write >&1, or leave it out';
  return [{ ...problem(`> /dev/${device} empties what the hook has printed before`, at, hint), severity: 'warning' }];
}

function scriptProblems(file: string, text: string, shell: string, flaw: ShellFlaw | undefined): Problem[] {
  if (!flaw) {
    const before = text.slice(0, text.search(/>\s*\/dev\/std(?:err|out)\b/));
    return deviceProblem(text, { file, line: before.split('\n').length, column: 1 });
  }
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

function textOf(path: string, look: Look): string | undefined {
  const content = look.text(path);
  return content.kind === 'text' ? content.text : undefined;
}
