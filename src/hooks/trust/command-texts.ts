import { type Parsed, parseCommands } from '../../shell/parse.ts';
import type { Reading } from '../../shell/roles/reading.ts';
import { readRoles } from '../../shell/roles/roles.ts';
import type { Command } from '../../shell/syntax/scan.ts';
import { countingOf } from './data-programs.ts';

/** A shell text, and what its commands do with their words. */
export interface ShellText {
  text: string;
  commands: readonly Command[];
  readings: readonly Reading[];
  /** Text that could not be read. */
  rest: string;
}

const maxDepth = 4;
const maxTexts = 60;
const maxChars = 500_000;

/** Which words with blanks may be programs: those of `any` command that may run them, or only what is known to be `code`. */
export type LongWords = 'any' | 'code';

/** A shell text and all that it holds: `sh -c '...'`, `eval`, backquotes, and here-documents that a shell may read. */
export function readTexts(script: string, words: LongWords = 'any'): readonly ShellText[] {
  const found: ShellText[] = [];
  const seen = new Set<string>();
  let left = maxChars;
  let layer = [script];
  for (let depth = 0; depth <= maxDepth && layer.length > 0; depth++) {
    const next: string[] = [];
    for (const text of layer) {
      left -= text.length;
      if (seen.has(text) || found.length >= maxTexts || (left < 0 && depth > 0)) continue;
      seen.add(text);
      const parsed = parseCommands(text);
      const readings = parsed.commands.map(({ kind, words }) => readRoles(kind === 'simple' ? words : []));
      const rest = parsed.stopped === undefined ? '' : text.slice(parsed.stopped);
      const read = { text, commands: parsed.commands, readings, rest };
      found.push(read);
      next.push(...innerTexts(read, parsed, words));
    }
    layer = next;
  }
  return found;
}

/** What a word is in its text, without quotes. Its expansions stay as they are written. */
export const sourceOf = ({ text }: ShellText, { start, end }: { start: number; end: number }): string =>
  start < 0 ? '' : text.slice(start, end).replaceAll(/\\(["$`\\])|["']/g, (_whole, escaped?: string) => escaped ?? '');

function innerTexts(read: ShellText, { programs }: Parsed, words: LongWords): string[] {
  const { commands, readings } = read;
  const readsProgram = readings.some(({ stdin }) => stdin !== 'no');
  return [
    ...programs,
    ...readings.flatMap(reading => [
      ...reading.shellCode.map(({ from, to }) =>
        reading.words
          .slice(from, to)
          .map(word => word.text ?? unquoted(read, word))
          .join(' '),
      ),
      ...longWords(reading, words),
    ]),
    ...(readsProgram ? commands.flatMap(command => fedTexts(read, command)) : []),
  ];
}

/** A word with blanks may be a program, unless its command only reads. */
function longWords(reading: Reading, words: LongWords): string[] {
  const isCounted = words === 'any' && countingOf(reading) === 'all';
  const code = new Set(
    reading.marks.flatMap(({ index, role }) => (role === 'code' || role === 'program' ? [index] : [])),
  );
  return reading.words.flatMap(({ text }, index) =>
    text !== undefined && /\s/.test(text) && (isCounted || code.has(index)) ? [text] : [],
  );
}

/** Only the quotes around it go: those inside of a substitution belong to it. */
const unquoted = ({ text }: ShellText, { start, end }: { start: number; end: number }): string =>
  start < 0 ? '' : text.slice(start, end).replace(/^"([\s\S]*)"$/, (_whole, inner: string) => inner);

/** Here-documents and here-strings of a command. */
export const fedTexts = (read: ShellText, { redirections }: Command): string[] =>
  redirections.flatMap(({ operator, target, body }) => {
    if (body) return [read.text.slice(body.start, body.end)];
    return operator === '<<<' ? [target.text ?? unquoted(read, target)] : [];
  });
