import type { Paint } from '../../model/index.ts';
import type { Io } from '../io.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Styles for text that people read; without colour every style leaves the text as it is. */
export type Colours = Readonly<Record<Style, (text: string) => string>>;

export function createColours(color: boolean): Colours {
  const entries = Object.entries(codes).map(([style, [on, off]]) => [
    style,
    (text: string) => (color && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text),
  ]);
  return Object.fromEntries(entries) as Colours;
}

/** How wide and in which colours people are shown something. */
export interface Terminal {
  colours: Colours;
  columns: number;
}

/** Nothing is cut for a reader that is no terminal: people search in it. */
export function terminalOf(
  { terminal }: Pick<Io, 'terminal'>,
  otherwise = 2000,
  stream: 'out' | 'err' = 'out',
): Terminal {
  const { color, columns = otherwise } = terminal(stream);
  return { colours: createColours(color), columns };
}

/** A text in a style; undefined leaves it as it is. */
export const painted = (text: string, style: Style | undefined, colours: Colours): string =>
  style === undefined ? text : colours[style](text);

/** How problems are painted. */
export const problemPaint = ({ bold, red, yellow, cyan }: Colours): Paint => ({
  place: bold,
  error: red,
  warning: yellow,
  caret: red,
  hint: cyan,
});

const codes: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};
