import type { Colours } from '../../print/paint.ts';
import type { Mark, Told } from '../../print/told.ts';
import type { Symbols } from './symbols.ts';
import { cutTo, folded, width } from './width.ts';

export interface LastingOptions {
  place: string;
  columns: number;
  colours: Colours;
  symbols: Symbols;
}

/** A thing that happened, as the lines that stay above the live area. */
export function lastingLines({ mark, text, details = [] }: Told, options: LastingOptions): readonly string[] {
  const { place, columns, colours, symbols } = options;
  const paint = paints(colours)[mark];
  const head = place === '' ? '' : `${place}  `;
  // On a narrow terminal a deep indent would leave no room for the text.
  const indent = ' '.repeat(2 + (width(head) * 4 > columns ? 0 : width(head)));
  const [first = '', ...rest] = folded(`${head}${text}`, columns - 3);
  const wrapped = rest.length === 0 ? [] : folded(rest.join(' '), columns - 1 - width(indent)).slice(0, maxLines);
  return [
    `${paint(symbols.marks[mark])} ${colours.dim(first.slice(0, head.length))}${first.slice(head.length)}`,
    ...wrapped.map(line => `${indent}${line}`),
    ...details.map(line => `${indent}${colours.dim(cutTo(line, columns - 1 - width(indent)))}`),
  ];
}

const maxLines = 4;

const paints = ({ cyan, red, yellow, dim }: Colours): Readonly<Record<Mark, (text: string) => string>> => ({
  begun: dim,
  done: cyan,
  failed: red,
  refused: yellow,
  asked: yellow,
  note: dim,
});
