import { createInterface } from 'node:readline';
import type { Io } from './io.ts';

/** Whether a person sits there who can be asked. */
export const canAsk = (io: Io): boolean => Boolean(process.stdin.isTTY) && io.terminal('err').columns !== undefined;

/** Anything but a clear yes is a no. */
export async function askYesNo(question: string, io: Io): Promise<boolean> {
  io.err(`${question} [y/N] `);
  // The terminal keeps its own line editing, so Ctrl-C ends the program as anywhere else.
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for await (const line of lines) return /^\s*y(es)?\s*$/i.test(line);
    return false;
  } finally {
    lines.close();
  }
}
