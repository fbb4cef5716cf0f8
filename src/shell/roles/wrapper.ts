import type { Word } from '../parse.ts';
import { findInner } from './inner.ts';
import { readOption } from './option.ts';
import type { Wrapper } from './programs.ts';
import { doubtFrom, doubtShifts, fill, mark, type Reading } from './reading.ts';
import { readRun } from './roles.ts';

const assigned = /^[A-Za-z_][A-Za-z0-9_]*=/;

/** What xargs adds at the end of the command. */
const appended: Word = { start: -1, end: -1, prefix: '', suffix: '', expands: 'no' };

/** Skips the wrapper's own options and operands, then reads the command it starts. */
export function readWrapper(
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
