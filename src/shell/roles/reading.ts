import type { Parsed } from '../parse.ts';
import type { Command, Word } from '../syntax/scan.ts';
import { wordBehind } from '../syntax/word.ts';
import type { Usage } from './programs.ts';

/**
 * What a program does with a word. `program`: runs it. `code`: reads it as program text. `name`: evaluates it as a name.
 * `option`: takes it for an option if it starts with a dash. `script`: runs the file of that name. `content`: reads a file
 * that a sign in it names. All other words are data.
 */
export type Role = 'program' | 'code' | 'name' | 'option' | 'script' | 'content';

export interface Mark {
  index: number;
  role: Role;
  program: string;
}

/**
 * A command, and what the programs that it starts do with its words. Words without a mark are data. What `env`, `export`
 * and the like assign stands among its assignments.
 */
export interface Reading extends Command {
  marks: Mark[];
  /** From this word on no one can tell. */
  unsure: { from: number; program: string } | undefined;
  /** The programs that really run, behind wrappers; `end` is behind their last argument. */
  runs: { program: string; at: number; end: number }[];
  /** Words that a shell reads as program text. `eval` reads all of its words as one text. */
  shellCode: { from: number; to: number }[];
  /** Words that name a file which is run. */
  scripts: number[];
  /** Some shell takes its program from stdin, or might. */
  stdin: 'no' | 'maybe' | 'shell' | 'other';
  /** Something here evaluates variables as arithmetic or as names of others. */
  evaluates: boolean;
  /** Words that xargs or find fill with other text. */
  filled: Set<number> | undefined;
  /** Read on behalf of a program no one knows: it may be no command at all. */
  guessed: boolean;
}

/** A parsed text whose commands have been read. */
export interface ReadText extends Parsed {
  commands: readonly Reading[];
}

/** A program at work: its words stand in the reading from `at` to before `to`. */
export interface Run {
  reading: Reading;
  at: number;
  to: number;
  program: string;
  /** How many programs have started one another to get here. */
  chain: number;
}

/** Each argument, and the text of the word before it where that is known. */
export function* argumentsOf({ reading: { words }, at, to }: Run, from = at + 1) {
  for (let index = from; index < to; index++) yield { index, word: words[index]!, before: words[index - 1]?.text };
}

export function mark({ reading, program }: Run, index: number, role: Role, by = program): void {
  reading.marks.push({ index, role, program: by });
}

export function markFrom(run: Run, from: number, role: Role, by = run.program): void {
  for (let index = from; index < run.to; index++) mark(run, index, role, by);
}

export function doubtFrom({ reading, program }: Run, from: number, by = program): void {
  if (!reading.unsure || reading.unsure.from > from) reading.unsure = { from, program: by };
}

/**
 * An unquoted expansion may vanish or become several words: those behind it are then not where they seem to be.
 * Tells whether there is one.
 */
export function doubtShifts(run: Run, from: number, through: number): boolean {
  const first = run.reading.words.slice(from, through + 1).findIndex(({ expands }) => expands === 'many');
  if (first >= 0) doubtFrom(run, from + first + 1);
  return first >= 0;
}

/** The program may be read from stdin, if something is fed to it. */
export function maybeStdin({ reading }: Run): void {
  if (reading.stdin === 'no') reading.stdin = 'maybe';
}

/** A shell reads this word as program text. */
export function markShellCode(run: Run, index: number): void {
  mark(run, index, 'code');
  run.reading.shellCode.push({ from: index, to: index + 1 });
}

/** A word like `X=1` that stands where an assignment may. */
export function assign({ reading }: Run, word: Word): void {
  const [head, name] = /^(\w+)\+?=/.exec(word.prefix)!;
  reading.assignments.push({ name: name!, form: 'plain', value: wordBehind(word, head.length) });
}

export function fill({ reading }: Run, index: number): void {
  reading.filled ??= new Set();
  reading.filled.add(index);
}

export const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The name of the program a word starts, as far as its end is literal: `$HOME/bin/lint` is `lint`. */
export function programOf(word: Word | undefined): string | undefined {
  if (!word) return undefined;
  const tail = word.text ?? (word.suffix.includes('/') ? word.suffix : '');
  return baseName(tail).replace(/\.exe$/, '') || undefined;
}

/** `python3.12` is `python`. */
export const withoutVersion = (program: string) => program.replace(/-?\d[\d.]*$/, '');

/** Nothing literal at its start: its value may start with a dash. */
export const isOpen = (word: Word) => word.text === undefined && word.prefix === '';

/** File names that stand for stdin or another open file. */
export const stdinFile = /^(-|\/dev\/stdin|\/dev\/fd\/\d+|\/proc\/self\/fd\/\d+)$/;

/** What an option word is; `next` tells that its value is the following word. */
export interface Option {
  kind: 'flag' | 'value' | 'code' | 'file' | 'unknown';
  next: boolean;
}

const flag: Option = { kind: 'flag', next: false };
const unknown: Option = { kind: 'unknown', next: false };

export function readOption(text: string, { options }: Usage): Option {
  if (text.startsWith('--')) {
    const [, name = '', value] = /^--([^=]*)(=?)/.exec(text)!;
    const kind = name.length > 1 ? options.get(name) : undefined;
    if (kind === undefined) return unknown;
    return kind === 'value' || kind === 'code' ? { kind, next: value === '' } : flag;
  }
  for (let index = 1; index < text.length; index++) {
    const rest = text.slice(index + 1);
    const kind = options.get(text[index]!);
    if (kind === undefined) return unknown;
    if (kind === 'glued') return flag;
    // In `-pe` both letters are code options and the program text still follows.
    if (kind === 'code') return { kind, next: [...rest].every(other => options.get(other) === 'code') };
    if (kind !== 'flag') return { kind, next: rest === '' };
  }
  return flag;
}
