import type { Command, Word } from '../syntax/scan.ts';
import { builtins, readConditional, readCurl, readEditor, readGit, readRisky } from './arguments.ts';
import { readInterpreter, readShell } from './interpreter.ts';
import {
  alwaysReads,
  codeCommands,
  codeRunners,
  editors,
  interpreters,
  localRunners,
  optionRisks,
  plainCommands,
  plainPrograms,
  readsWithoutCommand,
  shellOnly,
  shells,
  type Usage,
  wrappers,
} from './programs.ts';
import {
  argumentsOf,
  baseName,
  doubtFrom,
  doubtShifts,
  fill,
  isOpen,
  lookUp,
  type Mark,
  mark,
  markFrom,
  markShellCode,
  maybeStdin,
  programOf,
  type Reading,
  type Run,
  readOption,
  stdinFile,
  subcommand,
} from './reading.ts';

const CHAIN_LIMIT = 20;

/** Says what the program behind these words, and those it starts, do with each of them. */
export function readRoles(words: readonly Word[]): Reading {
  const reading: Reading = {
    words: [...words],
    marks: [],
    unsure: undefined,
    runs: [],
    shellCode: [],
    scripts: [],
    stdin: 'no',
    evaluates: false,
    assignments: [],
    filled: undefined,
    guessed: false,
  };
  if (words.length > 0) start(reading, 0, words.length, 0);
  if (words.at(-1)?.text === ']]' && words[0]!.text !== '[[')
    readConditional({ reading, at: -1, to: words.length, program: '[[', chain: 0 });
  return reading;
}

/** The same for each of several commands; those that steer compound ones start no program. */
export const readAll = (commands: readonly Command[]): Reading[] =>
  commands.map(({ kind, words }) => readRoles(kind === 'simple' ? words : []));

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
  const wrapper = lookUp(wrappers, program);
  const sub = wrapper ? undefined : subcommand(name => Object.hasOwn(wrappers, name), words, at, program);
  if (wrapper) readWrapper(run, wrapper);
  else if (sub) readWrapper({ ...run, at: at + sub.words - 1, program: sub.name }, wrappers[sub.name]!);
  else {
    reading.runs.push({ program, at, end: to });
    readProgram(run);
  }
}

type Reader = (run: Run) => void;

const all = (names: Iterable<string>, read: Reader): [string, Reader][] => [...names].map(name => [name, read]);

/** What each known program does with its arguments. */
const readers: ReadonlyMap<string, Reader> = new Map([
  ...all(plainPrograms, () => {}),
  ...builtins,
  ...all(optionRisks, readRisky),
  ...all(['curl'], readCurl),
  ...all(['git'], readGit),
  ...all(['find'], readFind),
  ...all(editors, readEditor),
  ...all(codeRunners, readCodeRunner),
  ...all(shells, readShell),
]);

function readProgram(run: Run): void {
  const { reading, at, program } = run;
  const sub = `${program} ${reading.words[at + 1]?.text}`;
  const interpreter = lookUp(interpreters, program);
  if (interpreter) readInterpreter(run, interpreter);
  else if (Object.hasOwn(interpreters, sub)) readInterpreter({ ...run, at: at + 1, program: sub }, interpreters[sub]!);
  else if (codeCommands.has(sub)) markFrom(run, at + 2, 'code', sub);
  else if (!plainCommands.has(sub)) (readers.get(program) ?? findInner)(run);
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
      reading.assignments.push(index);
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
  if (program === '' || shellOnly.has(program)) return false;
  const isOther = (name: string) => codeCommands.has(name) || Object.hasOwn(wrappers, name);
  return (
    [shells, codeRunners, editors, optionRisks].some(names => names.has(program)) ||
    ['find', 'git', 'curl'].includes(program) ||
    lookUp(interpreters, program) !== undefined ||
    lookUp(wrappers, program) !== undefined ||
    subcommand(isOther, words, at, program) !== undefined
  );
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
