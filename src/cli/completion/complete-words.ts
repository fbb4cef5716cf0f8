import { knownAgents } from '../../app/install.ts';
import { dialectNames, eventNames } from '../../model/index.ts';
import { type Command, commonOptions, type Option } from '../command.ts';

/** What can stand at one place of a command line. `any`: only a person knows. */
export type Expected = { kind: 'words'; words: readonly string[] } | { kind: 'sessions' | 'files' | 'folders' | 'any' };

export interface CompletedOption {
  name: string;
  short: string | undefined;
  doc: string;
  /** Absent where it takes no value. */
  value?: Expected;
}

/** A command as completion sees it. */
export interface CompletedCommand {
  name: string;
  summary: string;
  options: readonly CompletedOption[];
  arguments: readonly Expected[];
}

export const completedCommand = ({ name, summary, options, arguments: words = [] }: Command): CompletedCommand => ({
  name,
  summary,
  options: Object.entries<Option>({ ...options, ...commonOptions }).map(([option, { value, short, doc }]) => ({
    ...{ name: option, short, doc },
    ...(value !== undefined && { value: expectedFor(value, option, name) }),
  })),
  arguments: words.map(word => expectedFor(word)),
});

/** By the word that the help shows. */
function expectedFor(shown: string, option?: string, command?: string): Expected {
  const word = shown.replaceAll(/[[\].]|FILE\.json/g, part => (part.startsWith('F') ? 'FILE' : ''));
  if (/^[a-z-]+(?:\|[a-z-]+)+$/.test(word)) return { kind: 'words', words: word.split('|') };
  // What `run` takes is the name of a session that is not there yet.
  if (word === 'SESSION' || (option === 'session' && command !== 'run')) return { kind: 'sessions' };
  if (word === 'AGENT')
    return {
      kind: 'words',
      words: option === undefined ? knownAgents.hosts : [...knownAgents.run, 'acp:', 'command:', 'scripted:'],
    };
  if (word === 'EVENT') return { kind: 'words', words: eventNames };
  if (word === 'DIALECT') return { kind: 'words', words: dialectNames };
  if (word === 'DIR') return { kind: 'folders' };
  return { kind: word === 'FILE' || word === 'PIPELINE' ? 'files' : 'any' };
}
