import { type Colours, painted, type Style, type Terminal } from '../../print/paint.ts';
import { cut, folded, textWidth } from '../../print/text.ts';
import type { Mark, Told } from '../../print/told.ts';

/** A piece of a line in one style. The one that is `flexible` gives way where the line is too long. */
export interface Span {
  text: string;
  style?: Style;
  flexible?: true;
}

export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style });
export const flexible = (text: string, style?: Style): Span => ({ ...span(text, style), flexible: true });

/** The line in at most `columns` columns: cut before it is painted, so that no style stays open. */
export function paintLine(spans: readonly Span[], columns: number, colours: Colours): string {
  const excess = spans.reduce((sum, { text }) => sum + textWidth(text), 0) - columns;
  let room = columns;
  let line = '';
  for (const { text, style, flexible: gives } of spans) {
    const wanted = gives && excess > 0 ? cut(text, Math.max(minFlexible, textWidth(text) - excess)) : text;
    const shown = cut(wanted, room);
    room -= textWidth(shown);
    line += painted(shown, style, colours);
    if (room <= 0) break;
  }
  return line.trimEnd();
}

const minFlexible = 4;

/** A thing that happened, as the lines that stay above the live area. */
export function lastingLines(
  { mark, text, position = '', details = [] }: Told,
  { columns, colours, symbols }: Terminal & { symbols: Symbols },
): readonly string[] {
  const head = position === '' ? '' : `${position}  `;
  // On a narrow terminal a deep indent would leave no room for the text.
  const indent = ' '.repeat(2 + (textWidth(head) * 4 > columns ? 0 : textWidth(head)));
  const [first = '', ...rest] = folded(`${head}${text}`, columns - 3);
  const wrapped = rest.length === 0 ? [] : folded(rest.join(' '), columns - 1 - textWidth(indent)).slice(0, maxLines);
  return [
    `${painted(symbols.marks[mark], markStyles[mark], colours)} ${colours.dim(first.slice(0, head.length))}${first.slice(head.length)}`,
    ...wrapped.map(line => `${indent}${line}`),
    ...details.map(line => `${indent}${colours.dim(cut(line, columns - 1 - textWidth(indent)))}`),
  ];
}

const maxLines = 4;

const markStyles = {
  begun: 'dim',
  done: 'cyan',
  failed: 'red',
  refused: 'yellow',
  asked: 'yellow',
  note: 'dim',
} as const;

export interface Symbols {
  marks: Readonly<Record<Mark, string>>;
  spinner: readonly string[];
  dot: string;
}

/** The console of Linux has neither Braille nor the heavier signs. */
export const symbolsFor = (term: string | undefined): Symbols => (term === 'linux' ? plain : fine);

const fine: Symbols = {
  marks: { begun: '·', done: '✓', failed: '✗', refused: '⊘', asked: '?', note: '·' },
  spinner: [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'],
  dot: '·',
};

const plain: Symbols = {
  marks: { begun: '-', done: '+', failed: 'x', refused: '!', asked: '?', note: '-' },
  spinner: [...'|/-\\'],
  dot: '-',
};
