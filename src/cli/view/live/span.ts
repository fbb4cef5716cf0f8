import type { Colours } from '../../print/paint.ts';
import { cutTo, width } from './width.ts';

/** A piece of a line in one style. The one that is `flexible` gives way where the line is too long. */
export interface Span {
  text: string;
  style?: keyof Colours;
  flexible?: true;
}

export const span = (text: string, style?: keyof Colours): Span => (style === undefined ? { text } : { text, style });
export const flexible = (text: string, style?: keyof Colours): Span => ({ ...span(text, style), flexible: true });

/** The line in at most `columns` columns: cut before it is painted, so that no style stays open. */
export function paintLine(spans: readonly Span[], columns: number, colours: Colours): string {
  const excess = spans.reduce((sum, { text }) => sum + width(text), 0) - columns;
  let room = columns;
  let line = '';
  for (const { text, style, flexible: gives } of spans) {
    const wanted = gives && excess > 0 ? cutTo(text, Math.max(minFlexible, width(text) - excess)) : text;
    const shown = cutTo(wanted, room);
    room -= width(shown);
    line += style === undefined ? shown : colours[style](shown);
    if (room <= 0) break;
  }
  return line.trimEnd();
}

const minFlexible = 4;
