import stringWidth from 'string-width';

/** Columns a text takes on a terminal; styles take none. */
export function width(text: string): number {
  if (isPlain.test(text)) return text.length;
  if (text.includes('\x1b')) return stringWidth(text);
  let sum = 0;
  for (const { segment } of graphemes.segment(text)) sum += graphemeWidth(segment);
  return sum;
}

/** The text in at most `columns` columns; what is left out shows as an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  let room = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    room -= graphemeWidth(segment);
    if (room < 0) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept}…`;
}

/** The text on lines of at most `columns` columns, broken between words, and within a word that has no line of its own. */
export function folded(text: string, columns: number): string[] {
  const lines = [''];
  for (const word of text.split(gaps)) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (width(line) + 1 + width(word) <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
    while (width(lines.at(-1)!) > columns) lines.push(...broken(lines.pop()!, columns));
  }
  return lines;
}

/** The part that fits, never nothing, and the rest. */
function broken(word: string, columns: number): [string, string] {
  let head = '';
  let room = columns;
  for (const { segment } of graphemes.segment(word)) {
    room -= graphemeWidth(segment);
    if (room < 0 && head !== '') break;
    head += segment;
  }
  return [head, word.slice(head.length)];
}

/** Measuring is slow, and texts are drawn many times. */
function graphemeWidth(grapheme: string): number {
  const known = widths.get(grapheme);
  if (known !== undefined) return known;
  if (widths.size >= maxKnown) widths.clear();
  const measured = stringWidth(grapheme);
  widths.set(grapheme, measured);
  return measured;
}

const widths = new Map<string, number>();
const maxKnown = 5000;
const isPlain = /^[\x20-\x7e]*$/;

/** Between words, but not between a number and its unit. */
const gaps = / (?!(?:s|min|h)\b)/;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
