import { gitCommandAt } from './roles/arguments.ts';
import { codeRunners } from './roles/programs.ts';
import { baseName, programOf, type Reading } from './roles/reading.ts';
import { aliasesIn, readTexts, restOf, type ShellText } from './texts.ts';

/** What a shell text runs, as far as it can be told before it runs. */
export interface ShellCommands {
  /** The words of every simple command, also behind wrappers such as `env` and `sudo`; undefined: known only when it runs. */
  commands: readonly (readonly (string | undefined)[])[];
  /** Words of program text in other languages, of what cannot be read, and of what programs such as `ssh` are given to run. */
  loose: readonly (readonly string[])[];
  /** Some command is known only when the text runs (`$X push`, `eval "$X"`, `curl ... | sh`), or cannot be read. */
  isOpen: boolean;
}

/** Contract: never throws. */
export function shellCommands(script: string): ShellCommands {
  const { texts, isWhole } = readTexts(script, 'printed');
  const aliases = aliasesIn(texts);
  const shells = texts.filter(({ language }) => language === undefined);
  const loose = texts
    .flatMap(read => [
      read.language === 'code' ? read.text : restOf(read),
      ...(read.language === undefined ? read.commands.map(givenToRun) : []),
    ])
    .filter(text => text !== '')
    .map(text => text.split(/[\s;&|()'"`,[\]]+/).filter(word => word !== ''));
  return {
    commands: shells.flatMap(({ commands }) => commands.flatMap(reading => wordsOf(reading, aliases))),
    loose,
    isOpen: !isWhole || shells.some(read => read.stopped !== undefined || hasOpenCommand(read)),
  };
}

/** What `ssh`, `watch` and the like run: where in their words it begins is theirs to know. */
const givenToRun = ({ runs, words }: Reading): string =>
  runs.some(({ program }) => codeRunners.has(program)) ? words.map(({ text }) => text ?? '$').join(' ') : '';

/** A command as hook files name it: words that the beginning of a command must match. */
export type CommandPattern = (commands: ShellCommands) => 'matches' | 'maybe' | 'differs';

/**
 * `git push` hits `git push -f`, wherever the command stands. Options count wherever they stand behind the words before
 * them, and letters of short ones together or apart: `rm -rf` hits `rm -r x -f`. `matcherOf` makes one of a word.
 */
export function commandPattern(
  pattern: string,
  matcherOf: (word: string) => (text: string) => boolean,
): CommandPattern {
  const wanted = pattern
    .trim()
    .split(/\s+/)
    .map(text => ({ text, matches: matcherOf(text), isOption: /^-./.test(text) }));
  const words = wanted.filter(({ isOption }) => !isOption);
  const options = wanted.filter(({ isOption }) => isOption);
  const held = (command: readonly (string | undefined)[]): 'matches' | 'maybe' | 'differs' => {
    let isSure = true;
    let at = 0;
    for (const { matches } of words) {
      if (at > 0) at = behindOptions(command, at, matches);
      if (at >= command.length) return 'differs';
      const word = command[at];
      if (word === undefined) isSure = false;
      else if (!matches(word)) return 'differs';
      at += 1;
    }
    const rest = command.slice(at);
    for (const { text, matches } of options)
      if (!hasOption(rest, text, matches)) {
        if (!rest.includes(undefined)) return 'differs';
        isSure = false;
      }
    return isSure ? 'matches' : 'maybe';
  };
  const isLoose = (text: readonly string[]): boolean =>
    text.some((word, start) =>
      words.every(({ matches }, index) => matches(index === 0 ? baseName(word) : (text[start + index] ?? ''))),
    );
  return ({ commands, loose, isOpen }) => {
    const found = new Set(commands.map(held));
    if (found.has('matches') || loose.some(isLoose)) return 'matches';
    return isOpen || found.has('maybe') ? 'maybe' : 'differs';
  };
}

/** Options may stand before a word, and of an option no one knows whether the word behind it is its value. */
function behindOptions(
  command: readonly (string | undefined)[],
  from: number,
  matches: (text: string) => boolean,
): number {
  let at = from;
  while (/^-./.test(command[at] ?? '')) {
    const takesNext = !command[at]!.includes('=') && !matches(command[at + 1] ?? '') && matches(command[at + 2] ?? '');
    at += takesNext ? 2 : 1;
  }
  return at;
}

function hasOption(
  words: readonly (string | undefined)[],
  wanted: string,
  matches: (text: string) => boolean,
): boolean {
  const end = words.indexOf('--');
  const given = words.slice(0, end === -1 ? undefined : end).filter(word => word?.startsWith('-')) as string[];
  if (given.some(option => matches(option) || matches(option.split('=', 1)[0]!))) return true;
  if (!/^-[A-Za-z]+$/.test(wanted)) return false;
  const letters = new Set(given.filter(option => /^-[A-Za-z]/.test(option)).join(''));
  return [...wanted].every(letter => letters.has(letter));
}

/** A command once for every program that it starts: wrappers are not part of what they run, but commands of their own. */
function wordsOf(reading: Reading, aliases: ReadonlyMap<string, string>): (string | undefined)[][] {
  if (reading.kind !== 'simple') return [];
  const texts = (from: number, end?: number): (string | undefined)[] =>
    reading.words.slice(from, end).map(({ text }) => text);
  const wrappers = reading.marks.flatMap(({ index, role }) => {
    const program = role === 'program' ? programOf(reading.words[index]) : undefined;
    return program === undefined || reading.runs.some(({ at }) => at === index) ? [] : [[program, ...texts(index + 1)]];
  });
  const runs = reading.runs.flatMap(({ program, at, end }) => {
    if (program === 'git') return [['git', ...texts(gitCommandAt(reading, at, end), end)]];
    const own = /^git-([a-z-]+)$/.exec(program)?.[1];
    const rest = texts(at + 1, end);
    const meant = aliases.get(program);
    return [
      [program, ...rest],
      ...(own === undefined ? [] : [['git', own, ...rest]]),
      ...(meant === undefined ? [] : [[...meant.trim().split(/\s+/), ...rest]]),
    ];
  });
  return [...wrappers, ...runs];
}

function hasOpenCommand({ text, commands }: ShellText): boolean {
  /** By pipeline, the first stage that prints what no one can tell. */
  const untold = new Map<number, number>();
  for (const command of commands)
    if (command.stage < (untold.get(command.pipeline) ?? Infinity) && !prints(command))
      untold.set(command.pipeline, command.stage);
  return commands.some(({ words, marks, filled, stdin, pipeline, stage }) => {
    const isOpenWord = marks.some(({ index, role }) => {
      const word = words[index];
      if (role === 'code' && filled?.has(index) && word?.prefix === '') return true;
      if (role === 'script') return word !== undefined && /^<\(/.test(text.slice(word.start, word.end));
      if ((role !== 'program' && role !== 'code') || !word || word.text !== undefined || word.start < 0) return false;
      return !(role === 'program' && programOf(word) !== undefined) && word.expands !== 'no';
    });
    return (
      isOpenWord ||
      words.some(({ prefix }, at) => prefix.startsWith('alias.') && words[at - 1]?.text === '-c') ||
      (stdin === 'shell' && (untold.get(pipeline) ?? Infinity) < stage)
    );
  });
}

/** What it prints stands in the text, as it is: `printf 'git %s'` and `echo 'git\x20'` print something else. */
const prints = ({ runs, words, redirections }: Reading): boolean =>
  runs.every(
    ({ program }) => program === 'echo' || program === 'printf' || (program === 'cat' && words.length === 1),
  ) &&
  (redirections.some(({ body }) => body !== undefined) ||
    words.every(({ text }) => text !== undefined && !/%|\\(?!n)/.test(text)));
