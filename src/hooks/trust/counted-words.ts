import { isSpecial, substitutes } from '../../shell/flow.ts';
import type { Reading } from '../../shell/roles/reading.ts';
import type { Command, Word } from '../../shell/syntax/scan.ts';
import { type ShellText, sourceOf } from './command-texts.ts';
import { copiers, countingOf, isFlag, neverRead } from './data-programs.ts';
import type { Variables } from './expansions.ts';

/** What runs although the text does not name it: a word that only the shell can tell, or what a shell reads from a pipe. */
export interface OpenWord {
  /** As it is written. */
  shown: string;
  /** What it may be. */
  values: readonly string[];
  /** What it is may come from any file that the command names: it is no path with a known end. */
  isWide: boolean;
}

/** A bare word is looked for in PATH, or is no file at all. */
export const isPathLike = (text: string): boolean => /[/.\s]/.test(text);

/** Words that may name what runs: all that a role says is run, and those of programs that may run what they are given. */
export function countedWords(read: ShellText, { expand }: Variables): string[] {
  return read.commands.flatMap((command, at) => {
    const reading = read.readings[at]!;
    const { words, marks, scripts } = reading;
    const counting = countingOf(reading);
    const run = new Set(marks.flatMap(({ index, role }) => (isRun(role) || role === 'code' ? [index] : [])));
    const found = words.flatMap((word, index) => {
      const before = words[index - 1]?.text ?? '';
      const isValue = word.prefix.startsWith('-') || (before.startsWith('-') && !isFlag(before));
      if (!run.has(index) && counting !== 'all' && !(counting === 'options' && isValue)) return [];
      const texts = word.text === undefined ? expand(sourceOf(read, word)) : [word.text];
      return texts.filter(text => scripts.includes(index) || isPathLike(text));
    });
    return [...found, ...assignedWords(read, command, counting !== 'none'), ...inputWords(command, reading)];
  });
}

/** Every word, also of programs that only read: where the command runs what it reads, each may be what runs. */
export const allWords = ({ commands, readings }: ShellText): string[] =>
  commands.flatMap(({ kind, words, assignments, redirections }, at) => {
    const { runs } = readings[at]!;
    if (runs.some(({ program }) => neverRead.has(program))) return inputsIn(redirections);
    const isProgram = (index: number): boolean => kind === 'simple' && index === 0;
    const own = words.flatMap(({ text }, index) =>
      text === undefined || (isProgram(index) && !isPathLike(text)) ? [] : [text],
    );
    return [...own, ...assignments.flatMap(({ value: { text } }) => text ?? []), ...inputsIn(redirections)];
  });

const maxOpen = 50;

/** What runs and is not literal. */
export function openWords(read: ShellText, { expand }: Variables): OpenWord[] {
  const written = writtenIn(read);
  const isGrouped = read.commands.some(
    ({ kind, stage, redirections }) => kind === 'compound' && (stage > 0 || redirections.length > 0),
  );
  const found: OpenWord[] = [];
  for (const [at, command] of read.commands.entries()) {
    const reading = read.readings[at]!;
    for (const mark of reading.marks) {
      if (found.length >= maxOpen) return found;
      const open = openWord(read, reading, mark, written);
      if (open === undefined) continue;
      const values = expand(open.from);
      const shown = open.shown || read.text.slice(command.start, command.end).trim();
      // What comes from outside of the command is in no file that it names.
      found.push({ shown, values, isWide: open.isWide && values.length > 0 });
    }
    const fed = fedText(read, command, reading, isGrouped);
    if (fed !== undefined) found.push({ shown: fed.trim(), values: expand(fed), isWide: true });
  }
  return found;
}

interface Open {
  shown: string;
  /** The text that it comes from. */
  from: string;
  isWide: boolean;
}

function openWord(
  read: ShellText,
  { words, filled, shellCode }: Reading,
  { index, role }: Reading['marks'][number],
  written: ReadonlySet<string>,
): Open | undefined {
  const word = words[index];
  if (!word || !(isRun(role) || role === 'code')) return undefined;
  const raw = word.start < 0 ? '' : read.text.slice(word.start, word.end);
  const isMade = word.start < 0 || filled?.has(index) === true || written.has(sourceOf(read, word));
  if (isMade && isRun(role)) return { shown: raw, from: read.text, isWide: true };
  if (word.text !== undefined || raw === '' || raw.startsWith('~')) return undefined;
  // What a shell is given as code is a text of its own.
  const isOther =
    role === 'code' && isWholly(word, raw) && !shellCode.some(({ from, to }) => from <= index && index < to);
  if (!isRun(role) && !isOther) return undefined;
  return { shown: raw, from: sourceOf(read, word), isWide: !hasName(word) };
}

const isRun = (role: Reading['marks'][number]['role']): boolean => role === 'program' || role === 'script';

/** `"$x"` and `"$(cat x)"`; a program with a value in it is mostly its own. */
const isWholly = ({ prefix, suffix }: Word, raw: string): boolean =>
  (prefix === '' && suffix === '') || substitutes(raw);

/** `"$x/check.sh"` and `tools/"$x"` are paths; what `"$x"` is, nobody can tell. */
const hasName = ({ prefix, suffix }: Word): boolean => /\/[^/]+$/.test(suffix) || prefix.includes('/');

/** `BASH_ENV=./env.sh` runs it, and a program may run what a variable of its own names. */
const assignedWords = (read: ShellText, { assignments, words }: Command, isCounted: boolean): string[] =>
  assignments.flatMap(({ name, value }) => {
    const isHanded = isSpecial(name) || (words.length > 0 && isCounted);
    return isHanded ? (value.text ?? sourceOf(read, value)).split(':').filter(text => !text.includes('$')) : [];
  });

const inputWords = ({ redirections }: Command, { stdin }: Reading): string[] =>
  stdin === 'no' ? [] : inputsIn(redirections);

const inputsIn = (redirections: Command['redirections']): string[] =>
  redirections.flatMap(({ operator, target }) =>
    (operator === '<' || operator === '<>') && target.text !== undefined ? [target.text] : [],
  );

/** Files that the text writes before it may run them. */
function writtenIn(read: ShellText): ReadonlySet<string> {
  const targets = read.commands.flatMap(({ redirections, words }, at) => [
    ...redirections.filter(({ operator }) => operator.includes('>')).map(({ target }) => target),
    ...(read.readings[at]!.runs.some(({ program }) => copiers.has(program)) ? words.slice(1) : []),
  ]);
  return new Set(targets.map(target => sourceOf(read, target)));
}

/** The text that may feed a program to this command; undefined where it takes none from stdin, or names its file. */
function fedText(read: ShellText, command: Command, { stdin }: Reading, isGrouped: boolean): string | undefined {
  if (stdin === 'no') return undefined;
  const own = command.redirections.findLast(({ operator }) => operator.startsWith('<'));
  // Here-documents and here-strings are texts of their own.
  if (own && (own.body || own.operator === '<<<' || own.target.text !== undefined)) return undefined;
  if (own) return read.text.slice(command.start, own.target.end);
  if (command.stage === 0) return isGrouped ? read.text : undefined;
  const others = read.commands.filter(({ pipeline }) => pipeline === command.pipeline);
  const start = others.some(({ kind }) => kind !== 'simple') ? 0 : others[0]!.start;
  return read.text.slice(start, command.end);
}
