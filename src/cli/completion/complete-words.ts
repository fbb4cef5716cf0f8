import { knownAgents } from '../../app/install.ts';
import { dialectNames, eventNames } from '../../model/index.ts';
import { logKinds } from '../../model/log-filter.ts';
import { type Command, commonOptions, type Option } from '../command.ts';

/** What can stand at one place of a command line. `any`: only a person knows. */
export type Expected = { kind: 'words'; words: readonly string[] } | { kind: 'sessions' | 'files' | 'folders' | 'any' };

export interface CompletedOption {
  name: string;
  short: string | undefined;
  doc: string;
  repeats: boolean;
  /** Absent where it takes no value. */
  value?: Expected;
  /** The value's word in the help. */
  shown?: string;
}

/** A command as completion sees it. */
export interface CompletedCommand {
  name: string;
  summary: string;
  options: readonly CompletedOption[];
  arguments: readonly Expected[];
  /** Their words in the help. */
  shownArguments: readonly string[];
  /** The last one may come more than once. */
  repeats: boolean;
}

export const completedCommand = ({ name, summary, options, arguments: words = [] }: Command): CompletedCommand => ({
  ...{ name, summary },
  options: Object.entries<Option>({ ...options, ...commonOptions }).map(one => completedOption(one, name)),
  arguments: words.map(word => expectedFor(word, { command: name })),
  shownArguments: words,
  repeats: words.at(-1)?.endsWith('...') ?? false,
});

function completedOption(
  [name, { value, short, doc, repeats }]: readonly [string, Option],
  command: string,
): CompletedOption {
  const taken = value === undefined ? {} : { value: expectedFor(value, { command, option: name }), shown: value };
  return { ...{ name, short, doc, repeats: repeats ?? false }, ...taken };
}

/** What may stand before the name of a command. */
export const leadingOptions: readonly CompletedOption[] = Object.entries<Option>({
  ...commonOptions,
  version: { doc: 'print the version' },
}).map(one => completedOption(one, ''));

/** Every command with an option that the next word belongs to, as in `run --agent`; without a command first. */
export const valuedWords = (commands: readonly CompletedCommand[]): string[] =>
  [{ name: '', options: leadingOptions }, ...commands].flatMap(({ name, options }) =>
    options
      .filter(({ value }) => value !== undefined)
      .flatMap(({ name: option, short }) => [`${name} --${option}`, ...(short ? [`${name} -${short}`] : [])]),
  );

/** By the word that the help shows. */
function expectedFor(shown: string, { command, option }: { command: string; option?: string }): Expected {
  const word = shown.replaceAll(/[[\].]|\.json/g, '');
  if (/^[a-z-]+(?:\|[a-z-]+)+$/.test(word)) return { kind: 'words', words: word.split('|') };
  // What `run` takes is the name of a session that is not there yet.
  if (word === 'SESSION' || (option === 'session' && command !== 'run')) return { kind: 'sessions' };
  if (word === 'AGENT') return { kind: 'words', words: option === undefined ? knownAgents.hosts : knownAgents.run };
  // What agents call their own events is their affair.
  if (word === 'EVENT' && command !== 'hook') return { kind: 'words', words: eventNames };
  if (word === 'DIALECT') return { kind: 'words', words: dialectNames };
  if (word === 'KINDS') return { kind: 'words', words: logKinds };
  if (word === 'DIR') return { kind: 'folders' };
  return { kind: word === 'FILE' || word === 'PATH' || word === 'PIPELINE' ? 'files' : 'any' };
}
