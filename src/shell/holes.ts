import { HOLE, NUMBER, type Quoting } from './syntax/scan.ts';

/** A known placeholder in a command and the variable that holds its value. */
export interface Hole {
  start: number;
  end: number;
  variable: string;
  /** Its value is looked at before the command runs: it holds no code. */
  plain?: Plain | undefined;
  /** The shell fills in nothing here; a program that reads this text may. */
  literal?: boolean;
}

/** An id can be the name of a variable or of a program, a number cannot: where names are evaluated an id has to be a number. */
export type Plain = 'number' | 'id';

/** The text with every placeholder turned into characters that mean nothing to a shell; all else keeps its place. */
export function mask(text: string, holes: readonly Hole[]): string {
  let masked = '';
  let at = 0;
  for (const { start, end, plain, literal } of holes) {
    if (literal) continue;
    masked += text.slice(at, start) + (plain ? NUMBER : HOLE).repeat(end - start);
    at = end;
  }
  return masked + text.slice(at);
}

/** The first hole that starts inside a range. */
export function holeIn(holes: readonly Hole[], range: { start: number; end: number }): Hole | undefined {
  let low = 0;
  let high = holes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holes[middle]!.start < range.start) low = middle + 1;
    else high = middle;
  }
  const hole = holes[low];
  return hole && hole.start < range.end ? hole : undefined;
}

/** The quoting that each hole stands in. */
export function quotingOf(holes: readonly Hole[], changes: readonly { at: number; quoting: Quoting }[]): Quoting[] {
  let next = 0;
  let quoting: Quoting = 'bare';
  return holes.map(hole => {
    while (next < changes.length && changes[next]!.at <= hole.start) quoting = changes[next++]!.quoting;
    return quoting;
  });
}
