import type { Interpreter } from './programs.ts';
import {
  argumentsOf,
  doubtFrom,
  doubtShifts,
  isOpen,
  mark,
  markFrom,
  markShellCode,
  maybeStdin,
  type Run,
  readOption,
  stdinFile,
} from './reading.ts';

/** Marks the words of `sh` and its kin: options, then the code of `-c` or a script, then arguments. */
export function readShell(run: Run): void {
  const { reading, at, to } = run;
  const { words } = reading;
  const markCode = (index: number): void => {
    if (index < to) markShellCode(run, index);
  };
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
      mark(run, index, 'code');
      doubtFrom(run, index + 1);
    } else if (head.startsWith('--')) {
      if (/^--(init-)?command=?/.test(head)) {
        if (!head.includes('=')) markCode(++index);
        coded = true;
      } else if (head === '--rcfile' || head === '--init-file') index++;
    } else {
      if (head[0] === '-' && /[cC]/.test(head)) coded = true;
      if (head[0] === '-' && head.includes('s')) fromStdin = true;
      if (/[oO]/.test(head)) index++;
    }
  }
  const shifts = doubtShifts(run, at + 1, index);
  if (shifts) maybeStdin(run);
  if (coded) {
    markCode(index);
    if (shifts) markCode(index + 1);
    return;
  }
  if (fromStdin || index >= to || stdinFile.test(words[index]?.text ?? '')) reading.stdin = 'shell';
  if (!fromStdin) readScript(run, index);
  else if (index < to && isOpen(words[index]!) && !ended) mark(run, index, 'option');
}

/** Marks the words of an interpreter that is no shell. */
export function readInterpreter(run: Run, spec: Interpreter): void {
  const { reading, at, to } = run;
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
    else if (word.text === undefined) mark(run, index, 'code');
    else {
      const { kind, next } = readOption(word.text, spec);
      if (kind === 'unknown') known = false;
      if (kind === 'code' || kind === 'file') coded = true;
      if (kind === 'code' && next) mark(run, index + 1, 'code');
      if (kind === 'code' && spec.opens?.code.test(words[index + 1]?.text ?? '')) opens = true;
      if (kind === 'file') readScript(run, next ? index + 1 : index);
      if (next) index++;
      if (kind === 'code' && spec.endsOptions) return;
    }
  }
  if (doubtShifts(run, at + 1, index)) maybeStdin(run);
  if (opens) markFrom(run, index, 'code');
  if (!ended && (!known || spec.permutes)) markLateOptions(run, index, spec);
  if (index >= to) {
    if (!coded && reading.stdin !== 'shell') reading.stdin = 'other';
  } else if (spec.program && !coded) mark(run, index, 'code');
  else if (!coded && stdinFile.test(words[index]?.text ?? '')) reading.stdin = 'other';
  else if (!coded) readScript(run, index);
  else if (isOpen(words[index]!) && !ended) mark(run, index, 'option');
}

/** The word names the file that runs. */
function readScript(run: Run, index: number): void {
  if (index >= run.to) return;
  run.reading.scripts.push(index);
  mark(run, index, 'script');
}

/** Where an option is unknown its value may have passed for the script: code options then count wherever they stand. */
function markLateOptions(run: Run, from: number, spec: Interpreter): void {
  for (const { index, word } of argumentsOf(run, from)) {
    if (word.text === '--') return;
    if (isOpen(word)) mark(run, index, 'option');
    else if (word.prefix.startsWith('-')) {
      if (word.text === undefined) mark(run, index, 'code');
      else if (readOption(word.text, spec).kind === 'code') mark(run, index + 1, 'code');
    }
  }
}
