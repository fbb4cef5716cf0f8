import type { Io } from './io.ts';

export interface Option {
  /** Takes a value, shown as this word in the help. */
  value?: string;
  short?: string;
  /** May be given more than once; the values are in `lists`. */
  repeats?: true;
  doc: string;
}

/** A command is data: what it takes, what it says about itself, and what it does. */
export interface Command {
  name: string;
  summary: string;
  /** Names of positional arguments; one in brackets may be left out. */
  arguments: readonly string[];
  options: Readonly<Record<string, Option>>;
  /** With `--json` it prints as it goes. */
  streams?: true;
  example: string;
  run(args: Arguments, io: Io): Promise<number> | number;
}

export interface Arguments {
  positionals: readonly string[];
  values: Readonly<Record<string, string>>;
  lists: Readonly<Record<string, readonly string[]>>;
  flags: ReadonlySet<string>;
}

/** Options that every command takes. */
export const commonOptions = {
  directory: { value: 'DIR', short: 'C', doc: 'work as if started in DIR' },
  json: { doc: 'one JSON document on stdout, and nothing else there' },
  'no-color': { doc: 'plain text' },
  help: { short: 'h', doc: 'what this command does' },
} as const satisfies Record<string, Option>;

export const streamedJson: Option = { doc: 'one JSON object a line on stdout, and nothing else there' };

/** Wrong usage, told to the person who typed it. */
export class UsageError extends Error {}
