import { isOpen, mark, type Reading } from './reading.ts';

/** Editors run what they find in `+...`, behind their options and, unless they edit it, on stdin. */
export function readEditor(reading: Reading, at: number, to: number, program: string): void {
  const { words } = reading;
  const isLineEditor = program === 'ed' || program === 'red';
  let ended = false;
  reading.stdin = 'other';
  for (let index = at + 1; index < to; index++) {
    const word = words[index]!;
    const before = index - 1 === at ? '' : (words[index - 1]!.text ?? '-');
    if (word.text === '--') ended = true;
    // To `ed` a file name that starts with `!` is a command.
    else if (isOpen(word) && (!ended || isLineEditor)) mark(reading, index, roleBehind(before, isLineEditor), program);
    else if (!ended && (/^[-+]/.test(word.prefix) || /^[-+]/.test(before))) mark(reading, index, 'code', program);
    else if (isLineEditor && word.prefix.startsWith('!')) mark(reading, index, 'code', program);
  }
}

const roleBehind = (before: string, isLineEditor: boolean) =>
  /^-[^-]|^--./.test(before) && !isLineEditor ? 'code' : 'option';
