import { spawnSync } from 'node:child_process';
import type { Look } from '../hooks/discovery/look.ts';
import type { HookDefinition, Places, Position, Problem } from '../model/index.ts';
import { createPositionIn } from './check-references.ts';

/** Asks the shells themselves whether they can read the commands and scripts of hooks. Nothing is run. */
export function syntaxProblems(hooks: readonly HookDefinition[], places: Places, look: Look): Problem[] {
  const texts = textsOf(hooks, look);
  const flaws = askShells(texts);
  const positionIn = createPositionIn(places, look);
  const bashOnly = readableByBash(texts.filter((_, at) => flaws[at]));
  return texts.flatMap((text, nth) => {
    const flaw = flaws[nth];
    if (text.kind === 'file') return scriptProblems(text, flaw);
    const at = positionIn(text.hook.source, text.command.trim().split('\n')[0]!);
    const found = flaw ? [commandProblem(text, flaw, at, bashOnly.has(text.text))] : [];
    return [...found, ...deviceProblem(text.content, at)];
  });
}

/** `content`: what a shell reads of it. */
interface HookText extends Question {
  hook: HookDefinition;
  command: string;
  content: string;
}

/** Each command and script once, however many hooks name it. */
function textsOf(hooks: readonly HookDefinition[], look: Look): HookText[] {
  const texts = new Map<string, HookText>();
  for (const hook of hooks) {
    const { action, source } = hook;
    if (action.kind !== 'shell' || hook.unavailable !== undefined) continue;
    const { run, command } = action;
    // A script without a #! line is given to a shell by name.
    const isNamed = run.via === 'exec' && run.file === 'bash' && run.args.length === 1;
    const path = run.via !== 'exec' ? undefined : isNamed ? run.args[0]! : run.file;
    const key = JSON.stringify([source.file, path ?? source.line, command]);
    if (texts.has(key)) continue;
    if (run.via !== 'exec') {
      texts.set(key, { shell: run.via, kind: 'command', text: run.script, hook, command, content: run.script });
      continue;
    }
    const read = look.text(path!);
    const content = read.kind === 'text' ? read.text : '';
    texts.set(key, { shell: isNamed ? 'bash' : shellOf(content), kind: 'file', text: path!, hook, command, content });
  }
  return [...texts.values()];
}

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

function scriptProblems({ hook, content: text, shell }: HookText, flaw: ShellFlaw | undefined): Problem[] {
  const { file } = hook.source;
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

/** A command or the path of a script, and the shell that shall read it; empty: none. */
export interface Question {
  shell: string;
  kind: 'command' | 'file';
  text: string;
}

export interface ShellFlaw {
  line: number;
  message: string;
}

/**
 * Lets shells read texts without running them, and gives what they complain of, in the order of the questions.
 * undefined where a shell has nothing to say, or is not there.
 */
export function askShells(questions: readonly Question[]): (ShellFlaw | undefined)[] {
  const answers = new Map<string, ShellFlaw | undefined>();
  for (const batch of batchesOf(questions.filter(needsAsking))) {
    const flaws = askOnce(batch);
    for (const [at, question] of batch.entries()) answers.set(keyOf(question), flaws[at]);
  }
  return questions.map(question => answers.get(keyOf(question)));
}

/** Parts that no shell can misread: words, quoted texts and plain variables, between `;`, `|`, `&&` and `||`. */
const word = String.raw`(?:[\w./=:,@%+~*?-]|'[^'\n]*'|"(?:[^"$\x60\\\n]|\$[A-Za-z_]\w*)*"|\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\})+`;
const plainLine = new RegExp(`^\\s*(?:${word}(?:(?: +| *(?:&&|\\|\\||[|;]) *)${word})*)? *(?:(?<=^|\\s)#.*)?$`);
const reserved =
  /(?<![^\s;|&])(?:if|then|elif|else|fi|do|done|case|esac|while|until|for|select|function|time|coproc)(?![^\s;|&])/;
const maxPlainChars = 1000;

/** Most commands are so simple that no shell need be asked: to start one takes a hundred times as long. */
export const isPlain = (script: string): boolean =>
  script.length <= maxPlainChars && !reserved.test(script) && script.split('\n').every(line => plainLine.test(line));

const needsAsking = ({ shell, kind, text }: Question): boolean => shell !== '' && (kind === 'file' || !isPlain(text));

const keyOf = ({ shell, kind, text }: Question): string => `${shell} ${kind} ${text}`;

/** All of a batch are for one shell, and together they fit on a command line. */
const maxBatchBytes = 512 * 1024;
const maxBatch = 1000;
/** Linux refuses a longer argument; such a command runs from a file, and no one has written one by hand. */
const maxTextBytes = 128 * 1024 - 1;

function batchesOf(questions: readonly Question[]): Question[][] {
  const batches: Question[][] = [];
  const open = new Map<string, { batch: Question[]; bytes: number }>();
  for (const question of new Map(questions.map(one => [keyOf(one), one])).values()) {
    const bytes = Buffer.byteLength(question.text);
    if (bytes > maxTextBytes || question.text.includes('\0')) continue;
    const kind = `${question.shell} ${question.kind}`;
    let last = open.get(kind);
    if (!last || last.batch.length >= maxBatch || last.bytes + bytes > maxBatchBytes) {
      last = { batch: [], bytes: 0 };
      batches.push(last.batch);
      open.set(kind, last);
    }
    last.batch.push(question);
    last.bytes += bytes;
  }
  return batches;
}

/** One small shell starts the shells that read: from here each would cost five times as much. */
const driver = `
end=$1 shell=$2 kind=$3
shift 3
for text do
  if [ "$kind" = file ]; then "$shell" -n "$text"; else "$shell" -n -c -- "$text"; fi
  printf '\\n%s %s\\n' "$end" $?
done 2>&1 </dev/null`;

function askOnce(batch: readonly Question[]): (ShellFlaw | undefined)[] {
  const { shell, kind } = batch[0]!;
  // Nothing that a shell says about a command can be taken for it.
  const end = `end-${process.hrtime.bigint()}`;
  // BASH_ENV and the like would run something; and messages come in one language.
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  const args = ['-c', driver, 'sh', end, shell, kind, ...batch.map(({ text }) => text)];
  const { stdout } = spawnSync('sh', args, { env, encoding: 'utf8', timeout: 60_000, maxBuffer: 64 * 1024 * 1024 });
  const answers = (stdout ?? '').split(new RegExp(`\\n${end} (\\d+)\\n`));
  return batch.map((_, at) => flawIn(answers[2 * at] ?? '', Number(answers[2 * at + 1] ?? 0)));
}

/** From 126 on the shell itself could not be started. */
function flawIn(said: string, status: number): ShellFlaw | undefined {
  if (status === 0 || status >= 126) return undefined;
  const [, line, message] = /: (?:-c: )?(?:line )?(\d+): (?:syntax error:? ?)?(.*)/i.exec(said) ?? [];
  return { line: Number(line ?? 1), message: message ?? said.trim() };
}
