import { printable } from '../../model/index.ts';
import { cut, flat } from './table.ts';

/** A foreign text as one short line that cannot steer the terminal. */
export const shortened = (text: string, width = 160): string => cut(flat(text), width);

/** A foreign name: hooks without one go by their whole command. */
export const named = (name: string): string => shortened(name, 60) || '(no name)';

/** A task's id where people can use it; those of checklists are only marks of their text. */
export const taskId = (id: string): string => (/^[\w.-]{1,6}$/.test(id) ? id : '');

/** The first lines of a foreign text that say something, and how many there are beyond them. */
export function firstLines(text: string, max: number): { lines: readonly string[]; more: number } {
  const lines = text
    .slice(0, maxRead)
    .split(/\r\n|[\n\r]/)
    .map(line => line.replaceAll('\t', '  ').trimEnd())
    .filter(line => line !== '');
  const shown = lines.slice(0, max).map(line => cut(printable(line.slice(0, maxLineLength)), maxLineWidth));
  return { lines: shown, more: lines.length - shown.length };
}

/** Where a text is longer, the exact number of its lines no longer matters. */
const maxRead = 256 * 1024;
const maxLineLength = 1000;
const maxLineWidth = 200;
