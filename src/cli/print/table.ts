/** Columns a text takes on a terminal: wide characters count two, combining ones none. */
export function textWidth(text: string): number {
  if (isAscii(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text in at most `width` columns; what is left out shows as an ellipsis at its end, or at its start. */
export function cut(text: string, width: number, at: 'end' | 'start' = 'end'): string {
  if (textWidth(text) <= width) return text;
  const parts = [...graphemes.segment(text)].map(({ segment }) => segment);
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

const maxLength = 2000;

/** One line: cells padded to their columns, nothing behind the last one. `paint` gets the padded text. */
export function row(
  cells: readonly string[],
  widths: readonly number[],
  paint: (cell: string, column: number) => string = cell => cell,
): string {
  const last = cells.findLastIndex(cell => cell !== '');
  return cells
    .slice(0, last + 1)
    .map((cell, column) => paint(column === last ? cell : pad(cell, widths[column]!), column))
    .join(gap);
}

export const gap = '  ';

/** The width of the widest cell of each column. */
export const columnWidths = (rows: readonly (readonly string[])[]): number[] =>
  (rows[0] ?? []).map((_, column) => largest(rows.map(cells => textWidth(cells[column]!))));

/** Without a limit on how many: the arguments of a call have one. */
export const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 0);

export const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap.length * Math.max(0, widths.length - 1);

/** Puts parts on lines of at most `width` columns; a part is never broken. */
export function wrap(parts: readonly string[], width: number, separator: string): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    const joined = line === undefined ? part : `${line}${separator}${part}`;
    if (line !== undefined && textWidth(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const wide =
  /\p{Emoji_Presentation}|\ufe0f|^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

const graphemeWidth = (grapheme: string): number => (invisible.test(grapheme) ? 0 : wide.test(grapheme) ? 2 : 1);
