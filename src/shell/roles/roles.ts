import { parseCommands } from '../parse.ts';
import type { Command, Word } from '../syntax/scan.ts';
import { builtins, readConditional, readCurl, readEditor, readGit, readRisky } from './arguments.ts';
import { readInterpreter, readShell } from './interpreter.ts';
import {
  alwaysReads,
  codeBuiltins,
  codeCommands,
  codeRunners,
  editors,
  interpreters,
  localRunners,
  optionRisks,
  plainCommands,
  plainPrograms,
  readsWithoutCommand,
  shells,
  type Usage,
  wrappers,
} from './programs.ts';
import {
  argumentsOf,
  assign,
  baseName,
  doubtFrom,
  doubtShifts,
  fill,
  isOpen,
  type Mark,
  mark,
  markFrom,
  markShellCode,
  maybeStdin,
  programOf,
  type Reading,
  type ReadText,
  type Run,
  readOption,
  stdinFile,
  withoutVersion,
} from './reading.ts';

const CHAIN_LIMIT = 20;

/** Reads the commands of a shell text. Contract: never throws, takes time in proportion to the text. */
export function readText(text: string): ReadText {
  const parsed = parseCommands(text);
  return { ...parsed, commands: parsed.commands.map(readCommand) };
}

/** Says what the program of a command, and those it starts, do with each word. What steers a compound command starts none. */
function readCommand(command: Command): Reading {
  const { kind, words } = command;
  // Field by field: a spread with so many fields beside it takes longer than all the rest.
  const reading: Reading = {
    kind,
    start: command.start,
    end: command.end,
    words: [...words],
    assignments: [...command.assignments],
    redirections: command.redirections,
    pipeline: command.pipeline,
    stage: command.stage,
    bodyEnd: command.bodyEnd,
    marks: [],
    unsure: undefined,
    runs: [],
    shellCode: [],
    scripts: [],
    stdin: 'no',
    evaluates: false,
    filled: undefined,
    guessed: false,
  };
  if (kind !== 'simple' || words.length === 0) return reading;
  start(reading, 0, words.length, 0);
  if (words.at(-1)?.text === ']]' && words[0]!.text !== '[[')
    readConditional({ reading, at: -1, to: words.length, program: '[[', chain: 0 });
  return reading;
}

/** The word at `at` is run, with all before `to` as its arguments. */
function start(reading: Reading, at: number, to: number, chain: number): void {
  if (at >= to) return;
  const { words } = reading;
  const program = programOf(words[at]);
  const run: Run = { reading, at, to, program: program ?? '', chain };
  mark(run, at, 'program');
  if (words[at]!.prefix.includes('/') || program === undefined) reading.scripts.push(at);
  if (program === undefined || chain > CHAIN_LIMIT) {
    doubtFrom(run, at + 1, '');
    maybeStdin(run);
    findInner(run);
    return;
  }
  const { name, length, known } = programAt(words, at, program);
  if (!known?.isWrapper) reading.runs.push({ program, at, end: to });
  (known?.read ?? findInner)({ ...run, at: at + length - 1, program: name });
}

/** A program that we know. */
interface Program {
  read(run: Run): void;
  /** Only starts the command that follows its own words. */
  isWrapper?: true;
  /** A version may stand behind its name. */
  hasVersions?: true;
  /** Starts no other program, or is itself started by shells alone: among the words of an unknown program it means nothing. */
  isQuiet?: true;
}

const all = (names: Iterable<string>, program: Program): [string, Program][] => [...names].map(name => [name, program]);

/** What each known program does with its arguments. Two or three words are a program and its subcommand. */
const programs: ReadonlyMap<string, Program> = new Map([
  ...all([...plainPrograms, ...plainCommands], { read: () => {}, isQuiet: true }),
  ...builtins.flatMap(([name, read]) => all([name], { read, isQuiet: true })),
  ...all(optionRisks, { read: readRisky }),
  ...all(['set'], { read: readRisky, isQuiet: true }),
  ...all(['curl'], { read: readCurl }),
  ...all(['git'], { read: readGit }),
  ...all(['find'], { read: readFind }),
  ...all(editors, { read: readEditor }),
  ...all([...codeRunners, ...codeCommands], { read: readCodeRunner }),
  ...all(codeBuiltins, { read: readCodeRunner, isQuiet: true }),
  ...all(shells, { read: readShell }),
  ...[...interpreters].flatMap(([name, spec]) =>
    all([name], { read: run => readInterpreter(run, spec), hasVersions: true }),
  ),
  ...[...wrappers].flatMap(([name, usage]) =>
    all([name], { read: run => readWrapper(run, usage), isWrapper: true, hasVersions: true }),
  ),
]);

/** Whether a program is named here: the longest name that is known counts. */
function programAt(words: readonly Word[], at: number, program: string) {
  const second = `${program} ${words[at + 1]?.text}`;
  const third = `${second} ${words[at + 2]?.text}`;
  for (const [index, name] of [third, second, program].entries()) {
    const known = programs.get(name);
    if (known) return { name, length: 3 - index, known };
  }
  const known = programs.get(withoutVersion(program));
  return { name: program, length: 1, known: known?.hasVersions ? known : undefined };
}

function readCodeRunner(run: Run): void {
  const { reading, at, to, program } = run;
  markFrom(run, at + 1, 'code');
  if (program === 'eval') reading.shellCode.push({ from: at + 1, to });
  else if (program === 'trap' && at + 1 < to) reading.shellCode.push({ from: at + 1, to: at + 2 });
  else if (localRunners.has(program))
    // A word with blanks in it is most likely the text that runs.
    for (const { index, word } of argumentsOf(run))
      if (/\s/.test(word.text ?? '')) reading.shellCode.push({ from: index, to: index + 1 });
  if (readsStdin(reading.words.slice(at + 1, to), program)) reading.stdin = 'other';
}

function readsStdin(words: readonly Word[], program: string): boolean {
  if (alwaysReads.has(program)) return true;
  if (/^g?make$/.test(program)) return words.some(({ text }) => stdinFile.test(text?.replace(/^-f|^--\w+=/, '') ?? ''));
  const operands = words.filter(word => !word.prefix.startsWith('-'));
  return readsWithoutCommand.has(program) && operands.length < 2;
}

const assigned = /^[A-Za-z_][A-Za-z0-9_]*=/;

/** What xargs adds at the end of the command. */
const appended: Word = { start: -1, end: -1, prefix: '', suffix: '', expands: 'no' };

/** Skips the wrapper's own options and operands, then reads the command it starts. */
function readWrapper(run: Run, wrapper: Usage): void {
  const { reading, at, to, program, chain } = run;
  const { words } = reading;
  let index = at + 1;
  let known = true;
  for (; index < to; index++) {
    const word = words[index]!;
    if (word.text === '--') {
      index++;
      break;
    }
    if (!word.prefix.startsWith('-')) {
      if (!wrapper.assigns || !assigned.test(word.prefix)) break;
      assign(run, word);
      continue;
    }
    if (program === 'command' && /^-[vV]$/.test(word.text ?? '')) return;
    const option = word.text === undefined ? undefined : readOption(word.text, wrapper);
    if (option === undefined || option.kind === 'unknown') {
      doubtFrom(run, index);
      known = false;
    }
    if (option?.kind === 'code') {
      if (option.next) markShellCode(run, index + 1);
      else mark(run, index, 'code');
    }
    if (option?.kind === 'value' && program === 'xargs') readReplacement(run, word, index);
    if (option?.next) index++;
  }
  const first = skipOperands(run, index, wrapper);
  const shifts = doubtShifts(run, at + 1, Math.min(first, to) - 1);
  // An unknown option may take what follows it for its value: the program may be any later word.
  if (!known || shifts) findInner({ ...run, at: first });
  if (program !== 'xargs') start(reading, first, to, chain + 1);
  else if (to !== words.length) doubtFrom(run, first);
  else if (first < to) {
    words.push(appended);
    start(reading, first, to + 1, chain + 1);
  }
}

function skipOperands(run: Run, from: number, wrapper: Usage): number {
  const { reading, to } = run;
  const { words } = reading;
  let index = from;
  for (let left = wrapper.operands; left > 0 && index < to; left--, index++) {
    const word = words[index]!;
    if (word.expands === 'many') doubtFrom(run, index);
    else if (isOpen(word)) mark(run, index, 'option');
  }
  if (words[index]?.text === '--') index++;
  // `flock FILE -c CODE`: a code option may also follow the operands.
  const late = words[index]?.text;
  if (wrapper.operands && late?.startsWith('-')) {
    if (readOption(late, wrapper).kind === 'code') {
      mark(run, index + 1, 'code');
      reading.shellCode.push({ from: index + 1, to: Math.min(index + 2, to) });
      return to;
    }
    doubtFrom(run, index);
  }
  if (index < to && words[index]!.expands === 'many') doubtFrom(run, index);
  return index;
}

/** With `-I {}` xargs pastes its input wherever `{}` stands. */
function readReplacement(run: Run, option: Word, at: number): void {
  const { words } = run.reading;
  const isReplace = /^-[^-]*[IJ]/.test(option.text ?? '');
  if (!isReplace) return;
  const glued = option.text!.replace(/^-[^-]*?[IJ]/, '');
  const pattern = glued || words[at + 1]?.text;
  if (!pattern) {
    doubtFrom(run, at);
    return;
  }
  for (const { index, word } of argumentsOf(run, glued === '' ? at + 2 : at + 1)) {
    const { text, ...rest } = word;
    const known = text ?? `${rest.prefix} ${rest.suffix}`;
    if (!known.includes(pattern)) continue;
    fill(run, index);
    words[index] = { ...rest, prefix: known.slice(0, known.indexOf(pattern)), suffix: '' };
  }
}

const execs = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const takesValue =
  /^-(name|iname|path|ipath|wholename|regex|iregex|lname|newer\w*|anewer|cnewer|type|user|group|perm|size|[acm]time|[acm]min|maxdepth|mindepth|fstype|samefile|inum|links|printf|used)$/;

function readFind(run: Run): void {
  const { reading, at, to, chain } = run;
  const { words } = reading;
  for (let index = at + 1; index < to; index++) {
    const word = words[index]!;
    if (word.text !== undefined && execs.has(word.text)) {
      let end = index + 1;
      while (end < to && words[end]!.text !== ';' && words[end]!.text !== '+') end++;
      for (const { index: place, word } of argumentsOf({ ...run, to: end }, index + 1))
        if (`${word.prefix} ${word.suffix}`.includes('{}')) fill(run, place);
      start(reading, index + 1, end, chain + 1);
      index = end;
    } else if (isOpen(word) && !takesValue.test(words[index - 1]!.text ?? '')) mark(run, index, 'option');
  }
}

const SCAN_LIMIT = 8;
const WORD_LIMIT = 1000;

/** A program no one knows may start another one that it is given: every word that names one counts as its start. */
function findInner(run: Run): void {
  const { reading, at, to } = run;
  if (reading.guessed) return;
  if (to - at > WORD_LIMIT) {
    doubtFrom(run, at + 1, '');
    maybeStdin(run);
    return;
  }
  let found = 0;
  for (const { index, word } of argumentsOf(run)) {
    const program = baseName(word.text ?? '');
    if (program === 'exec') doubtFrom(run, index + 1, program);
    if (!startsOthers(reading.words, index, program)) continue;
    if (++found > SCAN_LIMIT) {
      doubtFrom(run, index, program);
      return;
    }
    readGuess(run, index);
  }
}

function startsOthers(words: readonly Word[], at: number, program: string): boolean {
  const { known } = programAt(words, at, program);
  return known !== undefined && !known.isQuiet;
}

function readGuess(run: Run, at: number): void {
  const { reading, to } = run;
  // `shellcheck -s bash FILE`: the value of an option names a language more often than a program.
  const isValue = reading.words[at - 1]!.prefix.startsWith('-');
  reading.filled ??= new Set();
  const guess: Reading = { ...reading, marks: [], unsure: undefined, shellCode: [], stdin: 'no', guessed: true };
  guess.scripts = isValue ? [] : reading.scripts;
  start(guess, at, to, 1);
  const counts = ({ index, role }: Mark): boolean =>
    index !== at && !(isValue && (role === 'option' || role === 'script'));
  reading.marks.push(...guess.marks.filter(counts));
  // What a later guess reads is mostly a part of what an earlier one has read.
  const isNew = ({ from, to: end }: { from: number; to: number }) =>
    !reading.shellCode.some(other => other.from <= from && other.to >= end);
  reading.shellCode.push(...guess.shellCode.filter(isNew));
  if (guess.unsure && !isValue) doubtFrom(run, guess.unsure.from, guess.unsure.program);
  const isFed = guess.stdin === 'shell' || guess.stdin === 'maybe' || (guess.stdin === 'other' && !isValue);
  if (isFed) maybeStdin(run);
}
