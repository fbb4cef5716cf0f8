import stringWidth from 'string-width';

// A file of its own, so that a bundle of its own: to load it takes a tenth of the start of most commands, and most texts are plain.

export const graphemesOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** Columns of any text; styles count none. */
export const measured = (text: string): number =>
  text.includes('\x1b')
    ? stringWidth(text)
    : graphemesOf(text).reduce((width, grapheme) => width + graphemeWidth(grapheme), 0);

/** Measuring is slow, and texts are drawn many times. */
export function graphemeWidth(grapheme: string): number {
  const known = widths.get(grapheme);
  if (known !== undefined) return known;
  if (widths.size >= maxKnown) widths.clear();
  const width = stringWidth(grapheme);
  widths.set(grapheme, width);
  return width;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const widths = new Map<string, number>();
const maxKnown = 5000;
