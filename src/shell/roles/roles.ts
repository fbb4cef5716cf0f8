import type { Word } from '../parse.ts';
import { readBuiltin, readConditional } from './builtin.ts';
import { readEditor } from './editor.ts';
import { readFind, readRisky } from './finder.ts';
import { readGit } from './git.ts';
import { findInner } from './inner.ts';
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
  shells,
} from './programs.ts';
import {
  doubtFrom,
  lookUp,
  mark,
  markAll,
  maybeStdin,
  programOf,
  type Reading,
  stdinFile,
  subcommand,
} from './reading.ts';
import { readCurl } from './sender.ts';
import { readWrapper } from './wrapper.ts';
import { wrappers } from './wrappers.ts';

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

export function readRun(reading: Reading, at: number, to: number, chain: number): void {
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

function readProgram(reading: Reading, at: number, to: number, program: string, chain: number): void {
  const sub = `${program} ${reading.words[at + 1]?.text}`;
  const interpreter = lookUp(interpreters, program);
  if (shells.has(program)) readShell(reading, at, to, program);
  else if (interpreter) readInterpreter(reading, at, to, program, interpreter);
  else if (Object.hasOwn(interpreters, sub)) readInterpreter(reading, at + 1, to, sub, interpreters[sub]!);
  else if (codeRunners.has(program)) readCodeRunner(reading, at, to, program);
  else if (codeCommands.has(sub)) markAll(reading, at + 2, to, 'code', sub);
  else if (editors.has(program)) readEditor(reading, at, to, program);
  else if (program === 'find') readFind(reading, at, to, chain);
  else if (program === 'git') readGit(reading, at, to);
  else if (program === 'curl') readCurl(reading, at, to);
  else if (optionRisks.has(program)) readRisky(reading, at, to, program);
  else if (readBuiltin(reading, at, to, program) || plainPrograms.has(program) || plainCommands.has(sub)) return;
  else findInner(reading, at, to);
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
