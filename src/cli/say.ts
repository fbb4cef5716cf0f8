import { printable } from '../model/index.ts';
import type { Io } from './io.ts';

/** A line for people, or what makes one: it is not made before it is written. */
export type Line = string | (() => string);

export interface Say {
  /** Secrets are hidden in it. */
  line(line: Line): void;
  /** Made of parts in which they are hidden already. */
  masked(line: Line): void;
  flush(): void;
}

/** Writes lines to stderr once the hook they tell of has been started, so that no hook waits for its own log. */
export function createSay(io: Io, mask: (text: string) => string): Say {
  let waiting: Line[] = [];
  const flush = (): void => {
    const lines = waiting;
    waiting = [];
    if (lines.length > 0)
      io.err(printable(lines.map(line => `${typeof line === 'string' ? line : line()}\n`).join('')));
  };
  const masked = (line: Line): void => {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(line);
  };
  return { line: line => masked(() => mask(typeof line === 'string' ? line : line())), masked, flush };
}
