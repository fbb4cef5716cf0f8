import { doubtFrom, isOpen, mark, markAll, type Reading, stdinFile } from './reading.ts';

const named = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const arithmeticTests = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);
const nameTests = new Set(['-v', '-R']);
const declarations = new Set(['declare', 'typeset', 'local', 'export', 'readonly', 'integer']);
const nameTakers = new Set(['unset', 'read', 'getopts', 'let', 'wait', 'hash']);

/** Marks the words of builtins that evaluate some of their arguments (bash runs `$(...)` in a subscript); false for others. */
export function readBuiltin(reading: Reading, at: number, to: number, program: string): boolean {
  if (declarations.has(program)) readDeclaration(reading, at, to, program);
  else if (nameTakers.has(program)) {
    if (program === 'let') reading.evaluates = true;
    markAll(reading, at + 1, to, 'name', program);
  } else if (program === 'printf') readPrintf(reading, at, to);
  else if (program === 'test' || program === '[') readTest(reading, at, to, program);
  else if (program === '[[') readConditional(reading, at, to);
  else if (program === '.' || program === 'source') readSource(reading, at, program);
  else return false;
  return true;
}

function readSource(reading: Reading, at: number, program: string): void {
  mark(reading, at + 1, 'program', program);
  reading.scripts.push(at + 1);
  if (stdinFile.test(reading.words[at + 1]?.text ?? '')) reading.stdin = 'shell';
}

function readDeclaration(reading: Reading, at: number, to: number, program: string): void {
  let evaluates = program === 'integer';
  for (let index = at + 1; index < to; index++) {
    const word = reading.words[index]!;
    if (/^[-+]/.test(word.prefix)) {
      // An integer variable evaluates what it is given, a reference what it names.
      if (word.text === undefined || /[in]/.test(word.text)) evaluates = true;
    } else if (isOpen(word)) evaluates = true;
    if (evaluates) reading.evaluates = true;
    if (evaluates || !named.test(word.prefix)) mark(reading, index, 'name', program);
    else reading.assignments.push(index);
  }
}

function readPrintf(reading: Reading, at: number, to: number): void {
  const format = reading.words[at + 1];
  if (!format || at + 1 >= to) return;
  if (format.prefix.startsWith('-v')) markAll(reading, at + 1, to, 'name', 'printf -v');
  else if (format.expands === 'many') doubtFrom(reading, at + 1, 'printf');
  else if (isOpen(format)) mark(reading, at + 1, 'option', 'printf');
  else if (format.text === undefined && format.prefix.startsWith('-')) mark(reading, at + 1, 'name', 'printf');
}

function readTest(reading: Reading, at: number, to: number, program: string): void {
  for (let index = at + 1; index < to; index++) {
    const before = reading.words[index - 1]!;
    const operator = index - 1 === at ? '' : before.text;
    if (operator === undefined || nameTests.has(operator)) mark(reading, index, 'name', program);
  }
}

/** In bash `&&` and `||` belong to `[[ ]]`: what stands behind them is a test too. */
export function readConditional(reading: Reading, at: number, to: number): void {
  const { words } = reading;
  for (let index = at + 1; index < to; index++) {
    const text = words[index]!.text ?? '';
    if (arithmeticTests.has(text) || nameTests.has(text)) {
      reading.evaluates = true;
      markAll(reading, at + 1, to, 'name', '[[');
      return;
    }
  }
}
