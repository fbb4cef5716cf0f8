import type { Word } from '../parse.ts';
import { readBuiltin } from './builtin.ts';
import { readFind, readGit, readRisky } from './finder.ts';
import { readInterpreter, readShell } from './interpreter.ts';
import { codeRunners, interpreters, optionRisks, plainPrograms, shells, wrappers } from './programs.ts';
import { baseName, doubtFrom, lookUp, mark, markAll, programOf, type Reading } from './reading.ts';
import { readWrapper } from './wrapper.ts';

const CHAIN_LIMIT = 20;
const SCAN_LIMIT = 8;

/** Says what the program behind these words, and those it starts, do with each of them. */
export function readRoles(words: readonly Word[]): Reading {
  const reading: Reading = {
    words: [...words],
    marks: [],
    unsure: undefined,
    runs: [],
    shellCode: [],
    stdin: 'no',
    evaluates: false,
    assignments: [],
    filled: undefined,
  };
  if (words.length > 0) readRun(reading, 0, words.length, 0);
  return reading;
}

export function readRun(reading: Reading, at: number, to: number, chain: number): void {
  if (at >= to) return;
  const program = programOf(reading.words[at]);
  mark(reading, at, 'program', program ?? '');
  if (program === undefined || chain > CHAIN_LIMIT) {
    doubtFrom(reading, at + 1, '');
    return;
  }
  const second = `${program} ${reading.words[at + 1]?.text}`;
  const wrapper = lookUp(wrappers, program);
  if (wrapper) {
    readWrapper(reading, at + 1, to, program, wrapper, chain);
    return;
  }
  if (Object.hasOwn(wrappers, second)) {
    readWrapper(reading, at + 2, to, second, wrappers[second]!, chain);
    return;
  }
  reading.runs.push({ program, at, end: to });
  readProgram(reading, at, to, program, chain);
}

function readProgram(reading: Reading, at: number, to: number, program: string, chain: number): void {
  const interpreter = lookUp(interpreters, program);
  if (shells.has(program)) readShell(reading, at, to, program);
  else if (interpreter) readInterpreter(reading, at, to, program, interpreter);
  else if (codeRunners.has(program)) readCodeRunner(reading, at, to, program);
  else if (program === 'find') readFind(reading, at, to, chain);
  else if (program === 'git') readGit(reading, at, to);
  else if (optionRisks.has(program)) readRisky(reading, at, to, program);
  else if (!readBuiltin(reading, at, to, program) && !plainPrograms.has(program)) findInner(reading, at, to);
}

function readCodeRunner(reading: Reading, at: number, to: number, program: string): void {
  markAll(reading, at + 1, to, 'code', program);
  if (program === 'eval') reading.shellCode.push({ from: at + 1, to });
  else if (program === 'trap' && at + 1 < to) reading.shellCode.push({ from: at + 1, to: at + 2 });
  const operands = reading.words.slice(at + 1, to).filter(word => !word.prefix.startsWith('-'));
  if (/^(at|batch|crontab|sqlite3|pwsh|powershell|script|make|gmake)$/.test(program)) reading.stdin = 'other';
  else if (/^(ssh|slogin|autossh|su|runuser)$/.test(program) && operands.length < 2) reading.stdin = 'other';
}

/** An unknown program may start another one that it is given (`uv run python -c ...`): find code wherever it is clear. */
function findInner(reading: Reading, at: number, to: number): void {
  let found = 0;
  for (let index = at + 1; index < to; index++) {
    const text = reading.words[index]!.text;
    const program = text === undefined ? '' : baseName(text);
    const interpreter = lookUp(interpreters, program);
    if (!shells.has(program) && !interpreter) continue;
    if (++found > SCAN_LIMIT) {
      doubtFrom(reading, index, program);
      return;
    }
    const inner: Reading = { ...reading, marks: [], unsure: undefined, shellCode: [], stdin: 'no' };
    if (interpreter) readInterpreter(inner, index, to, program, interpreter);
    else readShell(inner, index, to, program);
    for (const { index: place, role } of inner.marks) {
      if (role === 'code' && !(interpreter?.program && place === index + 1)) mark(reading, place, role, program);
    }
    reading.shellCode.push(...inner.shellCode);
    if (inner.stdin === 'shell' && reading.stdin === 'no') reading.stdin = 'maybe';
  }
}
