import type { Mark } from '../../print/told.ts';

export interface Symbols {
  marks: Readonly<Record<Mark, string>>;
  spinner: readonly string[];
  /** Of the progress bar: done, and still to do. */
  bar: readonly [done: string, left: string];
  dot: string;
}

/** The console of Linux has neither Braille nor the heavier signs. */
export const symbolsFor = (term: string | undefined): Symbols => (term === 'linux' ? plain : fine);

const fine: Symbols = {
  marks: { begun: '·', done: '✓', failed: '✗', refused: '⊘', asked: '?', note: '·' },
  spinner: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'],
  bar: ['━', '─'],
  dot: '·',
};

const plain: Symbols = {
  marks: { begun: '-', done: '+', failed: 'x', refused: '!', asked: '?', note: '-' },
  spinner: [...'|/-\\'],
  bar: ['=', '-'],
  dot: '-',
};
