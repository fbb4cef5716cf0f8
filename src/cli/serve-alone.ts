import { setFlagsFromString } from 'node:v8';
import { serve } from './commands/serve.ts';
import type { Io } from './io.ts';
import { runCommand } from './run-command.ts';

/**
 * As a bundle without the other commands, and with little room for what V8 throws away again: hooks are forked from this
 * process, and the smaller it is the sooner.
 */
export function runServe(argv: readonly string[], io: Io): Promise<number> {
  setFlagsFromString('--semi-space-growth-factor=1');
  return runCommand(serve, argv, io);
}
