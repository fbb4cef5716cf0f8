import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { printable } from '../model/index.ts';
import { parseArguments } from './arguments.ts';
import { type Command, UsageError } from './command.ts';
import { exit } from './exit.ts';
import { InputError, type Io } from './io.ts';

/** Runs one command to its exit code. What a person did wrong is told without a stack trace. */
export async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  try {
    const args = parseArguments(command, argv);
    if (args.flags.has('help')) {
      const { commandHelp } = await import('./help.ts');
      io.out(commandHelp(command));
      return exit.done;
    }
    return await command.run(args, inFolder(io, args.values['directory']));
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof InputError)) throw error;
    const isUsage = error instanceof UsageError;
    io.err(
      `hookloop ${command.name}: ${printable(error.message)}\n${isUsage ? `Try: hookloop ${command.name} --help\n` : ''}`,
    );
    return isUsage ? exit.usage : exit.badInput;
  }
}

function inFolder(io: Io, folder: string | undefined): Io {
  if (folder === undefined) return io;
  const cwd = resolve(io.cwd, folder);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`-C ${folder}: there is no such folder`);
  return { ...io, cwd };
}
