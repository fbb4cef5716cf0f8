import { codeCommands, codeRunners, editors, interpreters, optionRisks, shellOnly, shells } from './programs.ts';
import { baseName, doubtFrom, lookUp, mark, maybeStdin, type Reading, subcommand } from './reading.ts';
import { readRun } from './roles.ts';
import { wrappers } from './wrappers.ts';

const SCAN_LIMIT = 8;
const WORD_LIMIT = 1000;

/** A program nobody knows may start another one that it is given: every word that names one counts as its start. */
export function findInner(reading: Reading, at: number, to: number): void {
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
