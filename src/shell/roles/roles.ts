import type { Command, Word } from '../syntax/scan.ts';
import { builtins, readConditional, readCurl, readEditor, readGit, readRisky } from './arguments.ts';
import { readInterpreter, readShell } from './interpreter.ts';
import {
  codeCommands,
  codeRunners,
  editors,
  interpreters,
  localRunners,
  optionRisks,
  plainCommands,
  plainPrograms,
  shellOnly,
  shells,
  type Wrapper,
  wrappers,
} from './programs.ts';
import {
  baseName,
  doubtFrom,
  doubtShifts,
  fill,
  isOpen,
  lookUp,
  mark,
  markAll,
  maybeStdin,
  programOf,
  type Reading,
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
    otherCode: [],
    scripts: [],
    stdin: 'no',
    evaluates: false,
    assignments: [],
    filled: undefined,
    guessed: false,
  };
  if (words.length > 0) readRun(reading, 0, words.length, 0);
  if (words.at(-1)?.text === ']]' && words[0]!.text !== '[[') readConditional(reading, -1, words.length);
  return reading;
}

/** The same for each of several commands; those that steer compound ones start no program. */
export const readAll = (commands: readonly Command[]): Reading[] =>
  commands.map(({ kind, words }) => readRoles(kind === 'simple' ? words : []));

function readRun(reading: Reading, at: number, to: number, chain: number): void {
  if (at >= to) return;
  const program = programOf(reading.words[at]);
  mark(reading, at, 'program', program ?? '');
  if (reading.words[at]!.prefix.includes('/') || program === undefined) reading.scripts.push(at);
  if (program === undefined || chain > CHAIN_LIMIT) {
    doubtFrom(reading, at + 1, '');
    maybeStdin(reading);
    findInner(reading, at, to);
    return;
  }
  const wrapper = lookUp(wrappers, program);
  if (wrapper) {
    readWrapper(reading, at + 1, to, program, wrapper, chain);
    return;
  }
  const sub = subcommand(name => Object.hasOwn(wrappers, name), reading, at, program);
  if (sub) {
    readWrapper(reading, at + sub.words, to, sub.name, wrappers[sub.name]!, chain);
    return;
  }
  reading.runs.push({ program, at, end: to });
  readProgram(reading, at, to, program, chain);
}

type Reader = (reading: Reading, at: number, to: number, program: string, chain: number) => void;

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

function readProgram(reading: Reading, at: number, to: number, program: string, chain: number): void {
  const sub = `${program} ${reading.words[at + 1]?.text}`;
  const interpreter = lookUp(interpreters, program);
  if (interpreter) readInterpreter(reading, at, to, program, interpreter);
  else if (Object.hasOwn(interpreters, sub)) readInterpreter(reading, at + 1, to, sub, interpreters[sub]!);
  else if (codeCommands.has(sub)) markAll(reading, at + 2, to, 'code', sub);
  else if (!plainCommands.has(sub)) (readers.get(program) ?? findInner)(reading, at, to, program, chain);
}

function readCodeRunner(reading: Reading, at: number, to: number, program: string): void {
  markAll(reading, at + 1, to, 'code', program);
  if (program === 'eval') reading.shellCode.push({ from: at + 1, to });
  else if (program === 'trap' && at + 1 < to) reading.shellCode.push({ from: at + 1, to: at + 2 });
  else readTexts(reading, at, to, program);
  if (readsStdin(reading.words.slice(at + 1, to), program)) reading.stdin = 'other';
}

const alwaysReads = /^(at|batch|crontab|pwsh|powershell|script|gdb|lldb)$/;
const readsWithoutCommand = /^(ssh|slogin|autossh|su|runuser|sg|sqlite3|adb|nix-shell)$/;

function readsStdin(words: readonly Word[], program: string): boolean {
  if (alwaysReads.test(program)) return true;
  if (/^g?make$/.test(program)) return words.some(({ text }) => stdinFile.test(text?.replace(/^-f|^--\w+=/, '') ?? ''));
  const operands = words.filter(word => !word.prefix.startsWith('-'));
  return readsWithoutCommand.test(program) && operands.length < 2;
}

/** A word with blanks in it is most likely the text that runs. */
function readTexts(reading: Reading, at: number, to: number, program: string): void {
  for (let index = at + 1; index < to; index++) {
    if (!/\s/.test(reading.words[index]!.text ?? '')) continue;
    if (localRunners.has(program)) reading.shellCode.push({ from: index, to: index + 1 });
    else reading.otherCode.push(index);
  }
}

const assigned = /^[A-Za-z_][A-Za-z0-9_]*=/;

/** What xargs adds at the end of the command. */
const appended: Word = { start: -1, end: -1, prefix: '', suffix: '', expands: 'no' };

/** Skips the wrapper's own options and operands, then reads the command it starts. */
function readWrapper(
  reading: Reading,
  from: number,
  to: number,
  program: string,
  wrapper: Wrapper,
  chain: number,
): void {
  const { words } = reading;
  let index = from;
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
      doubtFrom(reading, index, program);
      known = false;
    }
    if (option?.kind === 'code') {
      mark(reading, option.next ? index + 1 : index, 'code', program);
      if (option.next) reading.shellCode.push({ from: index + 1, to: index + 2 });
    }
    if (option?.kind === 'value' && program === 'xargs') readReplacement(reading, word, index, to);
    if (option?.next) index++;
  }
  const start = skipOperands(reading, index, to, program, wrapper);
  const shifts = doubtShifts(reading, from, Math.min(start, to) - 1, program);
  // An unknown option may take what follows it for its value: the program may be any later word.
  if (!known || shifts) findInner(reading, start, to);
  if (program !== 'xargs') {
    readRun(reading, start, to, chain + 1);
    return;
  }
  if (to !== words.length) {
    doubtFrom(reading, start, program);
    return;
  }
  if (start >= to) return;
  words.push(appended);
  readRun(reading, start, to + 1, chain + 1);
}

function skipOperands(reading: Reading, from: number, to: number, program: string, wrapper: Wrapper): number {
  const { words } = reading;
  let index = from;
  for (let left = wrapper.operands ?? 0; left > 0 && index < to; left--, index++) {
    const word = words[index]!;
    if (word.expands === 'many') doubtFrom(reading, index, program);
    else if (word.text === undefined && word.prefix === '') mark(reading, index, 'option', program);
  }
  if (words[index]?.text === '--') index++;
  // `flock FILE -c CODE`: a code option may also follow the operands.
  const late = words[index]?.text;
  if (wrapper.operands && late?.startsWith('-')) {
    if (readOption(late, wrapper).kind === 'code') {
      mark(reading, index + 1, 'code', program);
      reading.shellCode.push({ from: index + 1, to: Math.min(index + 2, to) });
      return to;
    }
    doubtFrom(reading, index, program);
  }
  if (words[index] && index < to && words[index]!.expands === 'many') doubtFrom(reading, index, program);
  return index;
}

/** With `-I {}` xargs pastes its input wherever `{}` stands. */
function readReplacement(reading: Reading, word: Word, index: number, to: number): void {
  const isReplace = /^-[^-]*[IJ]/.test(word.text ?? '');
  if (!isReplace) return;
  const glued = word.text!.replace(/^-[^-]*?[IJ]/, '');
  const pattern = glued || reading.words[index + 1]?.text;
  if (!pattern) {
    doubtFrom(reading, index, 'xargs');
    return;
  }
  for (let place = index + 1; place < to; place++) {
    const { text, ...word } = reading.words[place]!;
    const known = text ?? `${word.prefix} ${word.suffix}`;
    if (!known.includes(pattern) || (glued === '' && place === index + 1)) continue;
    fill(reading, place);
    reading.words[place] = { ...word, prefix: known.slice(0, known.indexOf(pattern)), suffix: '' };
  }
}

const execs = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const takesValue =
  /^-(name|iname|path|ipath|wholename|regex|iregex|lname|newer\w*|anewer|cnewer|type|user|group|perm|size|[acm]time|[acm]min|maxdepth|mindepth|fstype|samefile|inum|links|printf|used)$/;

function readFind(reading: Reading, at: number, to: number, _program: string, chain: number): void {
  const { words } = reading;
  let index = at + 1;
  while (index < to) {
    const word = words[index]!;
    if (word.text !== undefined && execs.has(word.text)) {
      let end = index + 1;
      while (end < to && words[end]!.text !== ';' && words[end]!.text !== '+') end++;
      for (let place = index + 1; place < end; place++) {
        if (`${words[place]!.prefix} ${words[place]!.suffix}`.includes('{}')) fill(reading, place);
      }
      readRun(reading, index + 1, end, chain + 1);
      index = end;
    } else if (isOpen(word) && !takesValue.test(words[index - 1]!.text ?? '')) mark(reading, index, 'option', 'find');
    index++;
  }
}

const SCAN_LIMIT = 8;
const WORD_LIMIT = 1000;

/** A program nobody knows may start another one that it is given: every word that names one counts as its start. */
function findInner(reading: Reading, at: number, to: number): void {
  if (reading.guessed) return;
  if (to - at > WORD_LIMIT) {
    doubtFrom(reading, at + 1, '');
    maybeStdin(reading);
    return;
  }
  let found = 0;
  for (let index = at + 1; index < to; index++) {
    const program = baseName(reading.words[index]!.text ?? '');
    if (program === 'exec') doubtFrom(reading, index + 1, program);
    if (!startsOthers(reading, index, program)) continue;
    if (++found > SCAN_LIMIT) {
      doubtFrom(reading, index, program);
      return;
    }
    readGuess(reading, index, to);
  }
}

function startsOthers(reading: Reading, at: number, program: string): boolean {
  if (program === '' || shellOnly.has(program)) return false;
  const isOther = (name: string) => codeCommands.has(name) || Object.hasOwn(wrappers, name);
  return (
    [shells, codeRunners, editors, optionRisks].some(names => names.has(program)) ||
    ['find', 'git', 'curl'].includes(program) ||
    lookUp(interpreters, program) !== undefined ||
    lookUp(wrappers, program) !== undefined ||
    subcommand(isOther, reading, at, program) !== undefined
  );
}

function readGuess(reading: Reading, at: number, to: number): void {
  // `shellcheck -s bash FILE`: the value of an option names a language more often than a program.
  const isValue = reading.words[at - 1]!.prefix.startsWith('-');
  reading.filled ??= new Set();
  const guess: Reading = { ...reading, marks: [], unsure: undefined, shellCode: [], stdin: 'no', guessed: true };
  guess.scripts = isValue ? [] : reading.scripts;
  readRun(guess, at, to, 1);
  for (const { index, role, program } of guess.marks) {
    if (index === at || (isValue && (role === 'option' || role === 'script'))) continue;
    mark(reading, index, role, program);
  }
  // What a later guess reads is mostly a part of what an earlier one has read.
  const isNew = ({ from, to: end }: { from: number; to: number }) =>
    !reading.shellCode.some(other => other.from <= from && other.to >= end);
  reading.shellCode.push(...guess.shellCode.filter(isNew));
  if (guess.unsure && !isValue) doubtFrom(reading, guess.unsure.from, guess.unsure.program);
  const isFed = guess.stdin === 'shell' || guess.stdin === 'maybe' || (guess.stdin === 'other' && !isValue);
  if (isFed) maybeStdin(reading);
}
