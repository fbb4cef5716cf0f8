import { printable, printableJson } from '../../model/index.ts';
import { counted } from '../../model/words.ts';
import { graphemesOf, graphemeWidth, measured } from './graphemes.ts';

/** Columns a text takes on a terminal: wide characters count two, combining ones and styles none. */
export const textWidth = (text: string): number => (isNarrow.test(text) ? text.length : measured(text));

/** The text in at most `width` columns; what is left out shows as an ellipsis at its end, or at its start. */
export function cut(text: string, width: number, at: 'end' | 'start' = 'end'): string {
  if (textWidth(text) <= width) return text;
  if (width < 1) return '';
  const parts = graphemesOf(text);
  if (at === 'start') parts.reverse();
  const kept: string[] = [];
  let room = width - 1;
  for (const part of parts) {
    room -= graphemeWidth(part);
    if (room < 0) break;
    kept.push(part);
  }
  return at === 'start' ? `…${kept.reverse().join('')}` : `${kept.join('')}…`;
}

export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)));

/** Text on one line that cannot steer the terminal. No terminal shows more of it, and the time to measure a text grows with its square. */
export function flat(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replaceAll(unprintable, '\ufffd');
  return line.length > maxLength ? `${line.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** What a command gives programs: one JSON document. */
export const jsonText = (value: unknown): string => `${printableJson(value, 2)}\n`;

/** A foreign text as one short line that cannot steer the terminal. */
export const shortened = (text: string, width = 160): string => cut(flat(text), width);

/** A foreign name: hooks without one go by their whole command. */
export const named = (name: string): string => shortened(name, 60) || '(no name)';

/** A task's id where people can use it; those of checklists are only marks of their text. */
export const taskId = (id: string): string => (/^[\w.-]{1,6}$/.test(id) ? id : '');

/** The first lines of a foreign text that say something, and how many there are beyond them. */
export function firstLines(text: string, max: number): { lines: readonly string[]; more: number } {
  const lines = tellingLines(text);
  const shown = lines.slice(0, max).map(shownLine);
  return { lines: shown, more: lines.length - shown.length };
}

/** The beginning and the end of a foreign text: what went wrong stands in either, by program. */
export function outerLines(text: string, first: number, last: number): readonly string[] {
  const lines = tellingLines(text);
  if (lines.length <= first + last + 1) return lines.map(shownLine);
  const between = lines.slice(first, lines.length - last);
  const more = between.reduce((sum, line) => sum + countOf(line), 0);
  return [
    ...lines.slice(0, first).map(shownLine),
    `... ${counted(more, 'more line')} ...`,
    ...lines.slice(lines.length - last).map(shownLine),
  ];
}

/** A text that was cut before says how many lines it lacks. */
const countOf = (line: string): number =>
  Number(/^\.\.\. \(([\d,]+) more lines/.exec(line)?.[1]?.replaceAll(',', '') ?? 1);

const tellingLines = (text: string): string[] =>
  text
    .slice(0, maxRead)
    .split(/\r\n|[\n\r]/)
    .map(line => line.trimEnd())
    .filter(line => line !== '');

const shownLine = (line: string): string => cut(indentedLine(line), maxLineWidth);

/** A line of a foreign text that cannot steer the terminal, as it is indented. Colours are no part of what it says. */
export const indentedLine = (line: string): string =>
  printable(line.slice(0, maxLineLength).replaceAll('\t', '  ').replaceAll(colouring, ''));

const colouring = /\x1b\[[\d;:]*m/g;

/** The same, and a line that says how many there are beyond them. */
export function firstLinesAndMore(text: string, max: number): readonly string[] {
  const { lines, more } = firstLines(text, max);
  return more > 0 ? [...lines, `... ${counted(more, 'more line')}`] : lines;
}

/** Puts parts on lines of at most `width` columns; a part is never broken. */
export function wrap(parts: readonly string[], width: number, separator: string): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    const joined = line ? `${line}${separator}${part}` : part;
    if (line === '' || (line !== undefined && textWidth(joined) <= width)) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines;
}

/** Why a task failed, below its line. */
export const reasonLines = (reason: string, room: number): string[] =>
  wrap(shortened(reason, 400).split(' '), Math.max(20, Math.min(room, 100) - 6), ' ').map(line => `      ${line}`);

/** The text on lines of at most `width` columns, broken between words, and within a word that else would leave a line half empty. */
export function folded(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(gaps)) {
    const line = lines.pop();
    const left = line ? width - textWidth(line) - 1 : width;
    if (line === undefined) lines.push(...pieces(word, width));
    else if (textWidth(word) <= left) lines.push(line === '' ? word : `${line} ${word}`);
    else if (left * 2 < width) lines.push(line, ...pieces(word, width));
    else {
      const [first = '', ...rest] = pieces(word, width, left);
      lines.push(line === '' ? first : `${line} ${first}`, ...rest);
    }
  }
  return lines;
}

/** Each of them fits, but never has nothing. */
function pieces(word: string, width: number, first = width): string[] {
  const all = [''];
  let room = first;
  for (const segment of graphemesOf(word)) {
    const last = all.at(-1)!;
    room -= graphemeWidth(segment);
    if (room >= 0 || last === '') all[all.length - 1] = last + segment;
    else {
      all.push(segment);
      room = width - graphemeWidth(segment);
    }
  }
  return all;
}

const maxLength = 2000;
/** Where a text is longer, the exact number of its lines no longer matters. */
const maxRead = 256 * 1024;
const maxLineLength = 1000;
const maxLineWidth = 200;

/** Between words, but not between a number and its unit. */
const gaps = / (?!(?:s|min|h)\b)/;

/** ASCII and the signs of our own: what is drawn many times a second need not be measured. */
const isNarrow = /^[\x20-\x7e·…✓✗⊘\u2800-\u28ff]*$/;
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
