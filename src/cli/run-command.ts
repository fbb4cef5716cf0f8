import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createContext } from '../app/context.ts';
import { entryFile, programFailure } from '../model/gone.ts';
import { printable } from '../model/index.ts';
import {
  type Arguments,
  type Command,
  type CommandIo,
  parseArguments,
  UnknownOption,
  UsageError,
  withHint,
} from './command.ts';
import { exit } from './exit.ts';
import { InputError, type Io, isSystemError } from './io.ts';

/** Runs one command to its exit code. What a person did wrong is told without a stack trace. */
export async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  try {
    const args = parseArguments(command, argv);
    if (args.flags.has('help')) {
      const [{ commandHelp }, { terminalOf }] = await Promise.all([import('./help.ts'), import('./print/paint.ts')]);
      io.out(commandHelp(command, terminalOf({ terminal: terminalFor(io, args) })));
      return exit.done;
    }
    return await command.run(args, ioFor(io, args));
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof InputError)) throw error;
    const isUsage = error instanceof UsageError;
    const text = printable(withHint(error.message, await hintFor(error)));
    io.err(`hookloop ${command.name}: ${text}\n${isUsage ? `Try: hookloop ${command.name} --help\n` : ''}`);
    return isUsage ? exit.usage : exit.badInput;
  }
}

async function hintFor(error: Error): Promise<string | undefined> {
  if (!(error instanceof UnknownOption)) return undefined;
  const { didYouMean } = await import('../model/nearest.ts');
  return didYouMean(error.option, error.known)?.replace('mean ', 'mean --');
}

/** What the options of every command change about where it runs and what it prints. */
function ioFor(io: Io, args: Arguments): CommandIo {
  const { directory } = args.values;
  const cwd = directory === undefined ? io.cwd : resolve(io.cwd, directory);
  if (directory !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`-C ${directory}: there is no such folder`);
  return { ...io, terminal: terminalFor(io, args), ...createContext(cwd, io.env) };
}

const terminalFor = ({ terminal }: Io, { flags }: Arguments): Io['terminal'] =>
  flags.has('no-color') ? stream => ({ ...terminal(stream), color: false }) : terminal;

/** What is printed when a command throws, and the exit code. `words`: the command line. */
export function failureOf(error: unknown, words: readonly string[]): { text: string; exitCode: number } {
  if (isSystemError(error)) return { text: `hookloop: ${error.message}\n`, exitCode: exit.failed };
  return programFailure(error, entryFile(words));
}
