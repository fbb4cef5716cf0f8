import type { Context } from '../app/context.ts';
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
  /** Names of positional arguments; one in brackets may be left out, and dots behind the last one say that it repeats. */
  arguments?: readonly string[];
  options?: Readonly<Record<string, Option>>;
  /** With `--json` it prints as it goes. */
  streams?: true;
  example: string;
  run(args: Arguments, io: CommandIo): Promise<number> | number;
}

/** What a command runs with: where it was started, and what hides secrets in what it prints. */
export type CommandIo = Io & Context;

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
  'no-color': { doc: 'no colours' },
  help: { short: 'h', doc: 'show this help' },
} as const satisfies Record<string, Option>;

export const streamedJson: Option = { doc: 'one JSON object a line on stdout, and nothing else there' };

/** Wrong usage, told to the person who typed it. */
export class UsageError extends Error {}

/** What may have been meant is looked for only when it is told: agents wait for commands that are used rightly. */
export class UnknownOption extends UsageError {
  readonly option: string;
  readonly known: readonly string[];

  constructor(option: string, known: readonly string[]) {
    super(`unknown option --${option}`);
    this.option = option;
    this.known = known;
  }
}

type Options = Readonly<Record<string, Option>>;

/** Reads what follows the command's name. Contract: throws UsageError for what the command does not know. */
export function parseArguments(command: Command, argv: readonly string[]): Arguments {
  const options: Options = { ...commonOptions, ...command.options };
  const positionals: string[] = [];
  const values: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  const flags = new Set<string>();
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (word === '--') {
      positionals.push(...argv.slice(at + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word);
      continue;
    }
    const { name, shown, attached } = splitOption(word, options);
    if (!options[name]!.value) {
      if (attached !== undefined) throw new UsageError(`${shown} takes no value`);
      flags.add(name);
      continue;
    }
    if (attached === undefined) at += 1;
    const value = attached ?? argv[at];
    if (value === undefined) throw new UsageError(`${shown} needs a value: ${shown} ${options[name]!.value}`);
    if (options[name]!.repeats) lists[name] = [...(lists[name] ?? []), value];
    else values[name] = value;
  }
  if (!flags.has('help')) checkCount(command, positionals);
  return { positionals, values, lists, flags };
}

export const withHint = (message: string, hint: string | undefined): string => (hint ? `${message}; ${hint}` : message);

/** `--name`, `--name=value`, `-n`, `-nvalue`. */
function splitOption(word: string, options: Options): { name: string; shown: string; attached: string | undefined } {
  if (word.startsWith('--')) {
    const end = word.indexOf('=');
    const name = end === -1 ? word.slice(2) : word.slice(2, end);
    if (Object.hasOwn(options, name))
      return { name, shown: `--${name}`, attached: end === -1 ? undefined : word.slice(end + 1) };
    throw new UnknownOption(name, Object.keys(options));
  }
  const found = Object.entries(options).find(([, { short }]) => short === word[1]);
  if (!found) throw new UsageError(`unknown option ${word}`);
  return { name: found[0], shown: word.slice(0, 2), attached: word.length > 2 ? word.slice(2) : undefined };
}

function checkCount({ arguments: names = [] }: Command, positionals: readonly string[]): void {
  const missing = names[positionals.length];
  if (missing !== undefined && !missing.startsWith('[')) throw new UsageError(`${missing} is missing`);
  const extra = names.at(-1)?.endsWith('...') ? undefined : positionals[names.length];
  if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}`);
}
