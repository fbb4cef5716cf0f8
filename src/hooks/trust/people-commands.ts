import { plainPrograms } from '../../shell/roles/programs.ts';
import { baseName } from '../../shell/roles/reading.ts';
import type { Word } from '../../shell/syntax/scan.ts';
import type { ShellText } from './command-texts.ts';

/** Calls of hookloop that are for people, as they are told: `hookloop trust`. `code`: what other programs than shells run. */
export function commandsForPeople(texts: readonly ShellText[], code: readonly string[]): string[] {
  const aliases = new Set(texts.flatMap(aliasesOf));
  const called = texts.flatMap(read => callsIn(read, aliases));
  const told = [...code, ...texts.map(({ rest }) => rest)].flatMap(toldIn);
  return [...new Set([...called, ...told])];
}

/** What hookloop does only for a person; where an option makes it so, or makes it harmless. */
const forPeople: Readonly<Record<string, (options: readonly string[]) => boolean>> = {
  trust: options => !options.includes('--status') && !options.includes('--help'),
  approve: options => !options.includes('--help'),
  reject: options => !options.includes('--help'),
  uninstall: options => !options.includes('--dry-run') && !options.includes('--help'),
  undo: options => !options.includes('--help'),
  resume: options => options.includes('--accept-changes'),
  approvals: options => options.some(option => option.startsWith('--link')),
  serve: options => options.includes('--link'),
};

/** As words of a command line, or as a list of them in some language. */
const toldCall = /\bhookloop(?:\.c?js)?(?:@[\w.-]+)?["'`]?[\s,"'`[\]()]+(\w+)\b([^\n;|&]*)/g;

const toldIn = (text: string): string[] =>
  [...text.matchAll(toldCall)].flatMap(([, name, rest]) =>
    isForPeople(name!, rest!.split(/[\s,"'`[\]()]+/)) ? [`hookloop ${name}`] : [],
  );

const isForPeople = (name: string, options: readonly string[]): boolean =>
  Object.hasOwn(forPeople, name) && forPeople[name]!(options);

const isHookloop = (word: string): boolean => /^(npm:)?hookloop(\.c?js)?(@.*)?$/.test(baseName(word));

const aliasesOf = ({ readings }: ShellText): string[] =>
  readings.flatMap(({ words, runs }) =>
    runs.some(({ program }) => program === 'alias')
      ? words.flatMap(({ text = '' }) => {
          const [, name, value] = /^([\w-]+)=(.*)$/.exec(text) ?? [];
          return name !== undefined && isHookloop(value!) ? [name] : [];
        })
      : [],
  );

function callsIn(read: ShellText, aliases: ReadonlySet<string>): string[] {
  return read.readings.flatMap(({ words, runs }) => {
    // What only reads, prints or moves its words runs none of them.
    if (runs.length > 0 && runs.every(({ program }) => plainPrograms.has(program) || program === 'printf')) return [];
    return words.flatMap((word, index) =>
      isProgram(word, read) || aliases.has(word.text ?? '') ? askedFor(words.slice(index + 1)) : [],
    );
  });
}

/** A program that only the shell can tell counts where the text speaks of hookloop. */
function isProgram(word: Word, { text }: ShellText): boolean {
  if (word.text !== undefined) return isHookloop(word.text);
  if (word.suffix.includes('/')) return isHookloop(word.suffix);
  return word.prefix === '' && word.suffix === '' && text.includes('hookloop');
}

function askedFor(words: readonly Word[]): string[] {
  const [name] = words.filter(({ text = '' }, index) => !text.startsWith('-') && words[index - 1]?.text !== '-C');
  if (name === undefined) return [];
  // Which command it is cannot be told before it runs.
  if (name.text === undefined) return ['hookloop with a command that only the shell can tell'];
  const options = words.flatMap(({ text, prefix }) => text ?? prefix);
  return isForPeople(name.text, options) ? [`hookloop ${name.text}`] : [];
}
