import { createInterface } from 'node:readline';
import type { Io } from './io.ts';

/** Whether a person sits there who can be asked. */
export const canAsk = (io: Io): boolean => Boolean(process.stdin.isTTY) && io.terminal('err').columns !== undefined;

/** Anything but a clear yes is a no. */
export async function askYesNo(question: string, io: Io): Promise<boolean> {
  const asking = openAsking(io);
  try {
    return isYes((await asking.ask(`${question} [y/N] `)) ?? '');
  } finally {
    asking.close();
  }
}

export const isYes = (line: string): boolean => /^\s*y(es)?\s*$/i.test(line);
export const isNo = (line: string): boolean => /^\s*no?\s*$/i.test(line);

/** Questions to a person, one after another. */
export interface Asking {
  /** The line that is typed; undefined where there will be none. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** `signal`: of a command that watches for signals itself, which are the end of all questions. */
export function openAsking(io: Io, signal?: AbortSignal): Asking {
  // The terminal keeps its own line editing, so Ctrl-C ends the program as anywhere else.
  const reader = createInterface({ input: process.stdin, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const end = (): void => reader.close();
  signal?.addEventListener('abort', end, { once: true });
  return {
    async ask(question) {
      if (signal?.aborted) return undefined;
      io.err(question);
      const { done, value } = await lines.next();
      return done ? undefined : value;
    },
    close() {
      signal?.removeEventListener('abort', end);
      end();
    },
  };
}
