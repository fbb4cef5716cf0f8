import stringWidth from 'string-width';

/** Columns a text takes on a terminal; styles take none. */
export const width = (text: string): number => stringWidth(text);

/** The text in at most `columns` columns; what is left out shows as an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = '';
  let room = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    room -= width(segment);
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
  for (const { segment } of graphemes.segment(word)) {
    if (head !== '' && width(head) + width(segment) > columns) break;
    head += segment;
  }
  return [head, word.slice(head.length)];
}

/** Between words, but not between a number and its unit. */
const gaps = / (?!(?:s|min|h)\b)/;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
