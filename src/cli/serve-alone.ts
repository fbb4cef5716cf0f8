import { serve } from './commands/serve.ts';
import type { Io } from './io.ts';
import { runCommand } from './run-command.ts';

/** As a bundle without the other commands: hooks are forked from this process, and the smaller it is the sooner. */
export const runServe = (argv: readonly string[], io: Io): Promise<number> => runCommand(serve, argv, io);
