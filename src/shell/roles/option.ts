import type { Options } from './programs.ts';

/** What an option word is; `next` tells that its value is the following word. */
export interface Option {
  kind: 'flag' | 'value' | 'code' | 'file' | 'unknown';
  next: boolean;
}

export function readOption(text: string, options: Options & { file?: string }): Option {
  return text.startsWith('--') ? readLong(text.slice(2), options) : readCluster(text.slice(1), options);
}

const flag: Option = { kind: 'flag', next: false };

function readLong(text: string, options: Options): Option {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const next = equals < 0;
  if (lists(options.longCode, name)) return { kind: 'code', next };
  if (lists(options.longTakes, name)) return { kind: 'value', next };
  return lists(options.longFlags, name) ? flag : { kind: 'unknown', next: false };
}

const lists = (names: string | undefined, name: string) => names?.split(' ').includes(name) ?? false;

function readCluster(letters: string, options: Options & { file?: string }): Option {
  const { flags = '', takes = '', glues = '', code = '', file = '' } = options;
  for (let index = 0; index < letters.length; index++) {
    const letter = letters[index]!;
    const rest = letters.slice(index + 1);
    // In `-pe` both letters are code options and the program text still follows.
    if (code.includes(letter)) return { kind: 'code', next: [...rest].every(other => code.includes(other)) };
    if (file.includes(letter)) return { kind: 'file', next: rest === '' };
    if (takes.includes(letter)) return { kind: 'value', next: rest === '' };
    if (glues.includes(letter)) return flag;
    if (!flags.includes(letter)) return { kind: 'unknown', next: false };
  }
  return flag;
}
