import { printable } from '../../model/index.ts';
import type { Io } from '../io.ts';

/** A line for people, or what makes one: that is done while the hook runs which it is about. Undefined is none. */
export type Line = string | (() => string | undefined);

export interface Say {
  /** Secrets are hidden in it. */
  line(line: Line): void;
  /** Made of parts in which they are hidden already. */
  masked(line: Line): void;
  flush(): void;
}

/** Lines that come within so short a time are written together, so many at most. */
const togetherMs = 100;
const togetherCount = 100;

/** Writes lines to stderr a moment later, so that no hook waits for its own log, and short ones share a write. Contract: `flush` is called at the end. */
export function createSay(io: Pick<Io, 'err'>, mask: (text: string) => string): Say {
  let pending: Line[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    const lines = pending;
    pending = [];
    clearTimeout(timer);
    timer = undefined;
    const text = lines
      .flatMap(made)
      .map(line => `${line}\n`)
      .join('');
    if (text !== '') io.err(printable(text));
  };
  const arm = (): void => {
    pending = pending.flatMap(made);
    if (pending.length > 0) timer ??= setTimeout(flush, togetherMs);
  };
  const masked = (line: Line): void => {
    pending.push(line);
    // What a hook is about to be started for need not wait for a timer either.
    if (pending.length < togetherCount) process.nextTick(arm);
    else flush();
  };
  return { line: line => masked(() => made(line).map(mask)[0]), masked, flush };
}

function made(line: Line): string[] {
  const text = typeof line === 'string' ? line : line();
  return text === undefined ? [] : [text];
}
