import { pad, wrap } from './text.ts';

/** Names and what is said about them, side by side where there is room for it, else one below the other. */
export function rows(
  cells: readonly (readonly [string, string])[],
  width: number,
  least = Math.max(...cells.map(([name]) => name.length)),
): string[] {
  const start = indent + least + 2;
  const isBeside = width - start >= leastRoom;
  return cells.flatMap(([name, doc]) =>
    isBeside
      ? hanging(`${' '.repeat(indent)}${pad(name, least)}  ${doc}`, start, width)
      : [`${' '.repeat(indent)}${name}`, ...hanging(`${' '.repeat(3 * indent)}${doc}`, 3 * indent, width)],
  );
}

/** The text on lines of at most `width` columns; those after the first begin at `start`. */
export function hanging(text: string, start: number, width: number): string[] {
  const head = text.slice(0, start);
  const [first = '', ...rest] = wrap(text.slice(start).split(' '), Math.max(1, width - start), ' ');
  return [head + first, ...rest.map(line => ' '.repeat(start) + line)].map(line => line.trimEnd());
}

/** Too little room for a text beside a name. */
const leastRoom = 24;
const indent = 2;
