import type { Interpreter } from './programs.ts';
import {
  doubtFrom,
  doubtShifts,
  isOpen,
  mark,
  markAll,
  maybeStdin,
  type Reading,
  readOption,
  stdinFile,
} from './reading.ts';

/** Marks the words of `sh` and its kin: options, then the code of `-c` or a script, then arguments. */
export function readShell(reading: Reading, at: number, to: number, program: string): void {
  const { words } = reading;
  let coded = false;
  let fromStdin = false;
  let index = at + 1;
  let ended = false;
  for (; index < to && !ended; index++) {
    const word = words[index]!;
    const head = word.text ?? word.prefix;
    if (word.text === '--' || word.text === '-') ended = true;
    else if (!/^[-+]/.test(head)) break;
    else if (word.text === undefined) {
      mark(reading, index, 'code', program);
      doubtFrom(reading, index + 1, program);
    } else if (head.startsWith('--')) {
      if (/^--(init-)?command=?/.test(head)) {
        if (!head.includes('=')) markCode(reading, ++index, to, program);
        coded = true;
      } else if (head === '--rcfile' || head === '--init-file') index++;
    } else {
      if (head[0] === '-' && /[cC]/.test(head)) coded = true;
      if (head[0] === '-' && head.includes('s')) fromStdin = true;
      if (/[oO]/.test(head)) index++;
    }
  }
  const shifts = doubtShifts(reading, at + 1, index, program);
  if (shifts) maybeStdin(reading);
  if (coded) {
    markCode(reading, index, to, program);
    if (shifts) markCode(reading, index + 1, to, program);
    return;
  }
  if (fromStdin || index >= to || stdinFile.test(words[index]?.text ?? '')) reading.stdin = 'shell';
  if (index >= to) return;
  if (!fromStdin) readScript(reading, index, to, program);
  else if (isOpen(words[index]!) && !ended) mark(reading, index, 'option', program);
}

/** Marks the words of an interpreter that is no shell. */
export function readInterpreter(reading: Reading, at: number, to: number, program: string, spec: Interpreter): void {
  const { words } = reading;
  let coded = false;
  let known = true;
  let ended = false;
  let opens = false;
  let index = at + 1;
  for (; index < to && !ended; index++) {
    const word = words[index]!;
    const head = word.text ?? word.prefix;
    if (spec.opens?.options.test(head)) opens = true;
    if (word.text === '--') ended = true;
    else if (!head.startsWith('-') || word.text === '-') break;
    else if (word.text === undefined) mark(reading, index, 'code', program);
    else {
      const option = readOption(word.text, spec);
      if (option.kind === 'unknown') known = false;
      if (option.kind === 'code' || option.kind === 'file') coded = true;
      if (option.kind === 'code' && option.next) mark(reading, index + 1, 'code', program);
      if (option.kind === 'code' && spec.opens?.code.test(words[index + 1]?.text ?? '')) opens = true;
      if (option.kind === 'file') readScript(reading, option.next ? index + 1 : index, to, program);
      if (option.next) index++;
      if (option.kind === 'code' && spec.endsOptions) return;
    }
  }
  if (doubtShifts(reading, at + 1, index, program)) maybeStdin(reading);
  if (opens) markAll(reading, index, to, 'code', program);
  if (!known || spec.permutes) markLateOptions(reading, index, to, program, spec, ended);
  if (index >= to) {
    if (!coded && reading.stdin !== 'shell') reading.stdin = 'other';
  } else if (spec.program && !coded) mark(reading, index, 'code', program);
  else if (!coded && stdinFile.test(words[index]?.text ?? '')) reading.stdin = 'other';
  else if (!coded) readScript(reading, index, to, program);
  else if (isOpen(words[index]!) && !ended) mark(reading, index, 'option', program);
}

function markCode(reading: Reading, index: number, to: number, program: string): void {
  if (index >= to) return;
  mark(reading, index, 'code', program);
  reading.shellCode.push({ from: index, to: index + 1 });
}

/** The word names the file that runs. */
function readScript(reading: Reading, index: number, to: number, program: string): void {
  if (index >= to) return;
  reading.scripts.push(index);
  mark(reading, index, 'script', program);
}

/** Where an option is unknown its value may have passed for the script: code options then count wherever they stand. */
function markLateOptions(
  reading: Reading,
  from: number,
  to: number,
  program: string,
  spec: Interpreter,
  ended: boolean,
): void {
  if (ended) return;
  for (let index = from; index < to; index++) {
    const word = reading.words[index]!;
    if (word.text === '--') return;
    if (isOpen(word)) mark(reading, index, 'option', program);
    else if (word.prefix.startsWith('-')) {
      if (word.text === undefined) mark(reading, index, 'code', program);
      else if (readOption(word.text, spec).kind === 'code') mark(reading, index + 1, 'code', program);
    }
  }
}
