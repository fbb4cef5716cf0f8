import { normalize } from 'node:path';
import {
  aliasesOf,
  baseName,
  fedTexts,
  type Reading,
  readTexts,
  restOf,
  type ShellText,
  startsNothing,
  type Word,
} from '../../shell/texts.ts';
import { type PathsOf, pathsIn } from './shell-paths.ts';
import { type Arguments, type Written, writers } from './shell-writers.ts';

/** What a shell text does to files and to hookloop, as far as it says so literally. */
interface Deeds {
  /** Calls of hookloop that are for people, as they are told: `hookloop trust`. */
  commands: readonly string[];
  changes: readonly Change[];
}

/** The path may be a pattern, and begin with `~` as the folders may. */
export interface Change extends Written {
  /** Folders that the text enters, which the path may be relative to. */
  folders: readonly string[];
}

/** Contract: never throws. What a program does that the text starts is not seen. */
export function readDeeds(text: string): Deeds {
  const { texts } = readTexts(text, 'printed');
  const pathsOf = pathsIn(texts);
  const changes = [
    ...texts.flatMap(read => {
      const fed = read.commands.flatMap(command => fedTexts(read, command)).slice(0, maxFed);
      return read.commands.flatMap(command => [
        ...redirected(read, command, pathsOf),
        ...changed(read, command, fed, pathsOf),
      ]);
    }),
    ...texts.flatMap(changedByCode),
  ].filter(({ path }) => path !== '');
  const through = throughLinks(changes);
  const folders = enteredFolders(texts, (read, word) => pathsOf(read, word).flatMap(path => [path, ...through(path)]));
  return {
    commands: commandsForPeople(texts),
    changes: changes
      .flatMap(change => [
        change,
        ...(change.leadsTo === undefined ? through(change.path).map(path => ({ ...change, path })) : []),
      ])
      .map(change => ({ ...change, folders })),
  };
}

/** Which of them a patch is for is not told: each gets all. */
const maxFed = 100;

/**
 * Which of the known paths, or folders above them, a pattern of a shell matches; `**` stands for any folders. Without one
 * it is the path itself.
 */
export function matchesOf(path: string, known: readonly string[]): readonly string[] {
  if (!/[*?[]/.test(path)) return [path];
  if (path.includes('**')) return known.filter(each => patternOf(path).test(each));
  const parts = path.split('/');
  return known.flatMap(each => {
    const own = each.split('/');
    const length = Math.min(parts.length, own.length);
    const start = own.slice(0, length).join('/');
    return patternOf(parts.slice(0, length).join('/')).test(start) ? [start] : [];
  });
}

const patternOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob.replaceAll(/\*\*\/|\*|\?|\[[^\]/]*\]|[\\^$.*+?()[\]{}|]/g, part => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '*') return '[^/]*';
      return part === '?' || part.length > 1 ? '[^/]' : `\\${part}`;
    })}$`,
  );

const maxLed = 60;

/** Where a path leads that begins with a link which the text itself makes, to another such link too. */
function throughLinks(changes: readonly Written[]): (path: string) => readonly string[] {
  const links = changes.flatMap(({ path, leadsTo = [] }) => leadsTo.map(to => [normalize(path), to] as const));
  return path => {
    const led = new Set([normalize(path)]);
    // What is added is visited too.
    for (const at of led)
      for (const [link, to] of links)
        if (led.size < maxLed && (at === link || at.startsWith(`${link}/`)))
          led.add(normalize(to + at.slice(link.length)));
    return [...led].slice(1);
  };
}

const maxFolders = 60;

/** Each may be entered from the start or from any before it: in which subshell it is does not count. */
function enteredFolders(texts: readonly ShellText[], pathsOf: PathsOf): readonly string[] {
  const folders = new Set<string>();
  for (const read of texts)
    for (const { kind, words } of read.commands) {
      const [program, ...rest] = kind === 'simple' ? words : [];
      if (program?.text !== 'cd' && program?.text !== 'pushd') continue;
      const named = rest.find(({ text }) => !text?.startsWith('-'));
      for (const folder of named === undefined ? ['~'] : pathsOf(read, named))
        for (const before of ['', ...folders]) {
          if (folders.size >= maxFolders) return [...folders];
          folders.add(before === '' || /^[/~]/.test(folder) ? folder : `${before}/${folder}`);
        }
    }
  return [...folders];
}

const redirected = (read: ShellText, { redirections }: Reading, pathsOf: PathsOf): Written[] =>
  redirections.flatMap(({ operator, target }) =>
    operator.includes('>') ? pathsOf(read, target).map(path => ({ path, whole: false })) : [],
  );

function changed(read: ShellText, { words, runs }: Reading, fed: readonly string[], pathsOf: PathsOf): Written[] {
  return runs.flatMap(({ program, at, end }) => {
    if (!Object.hasOwn(writers, program)) return [];
    const own = words.slice(at + 1, end);
    const isOption = (index: number): boolean => own[index]?.text?.startsWith('-') === true;
    const valuesOf: Arguments['valuesOf'] = (...names) =>
      own.flatMap((word, index) => {
        const before = isOption(index - 1) ? own[index - 1]!.text! : '';
        if (names.some(name => isNamed(before, name))) return pathsOf(read, word);
        return names.flatMap(name => gluedTo(name).exec(word.text ?? '')?.[1] ?? []);
      });
    return writers[program]!({
      operands: own.flatMap((word, index) => (isOption(index) ? [] : [pathsOf(read, word)])),
      options: own.flatMap(({ text = '' }, index) => (isOption(index) ? [text] : [])),
      words: own.map(({ text, prefix }) => text ?? prefix),
      fed,
      valuesOf,
    });
  });
}

/** Letters may stand together: `-so`. */
const isNamed = (option: string, name: string): boolean =>
  option === name || (/^-\w$/.test(name) && /^-[a-zA-Z]+$/.test(option) && option.endsWith(name[1]!));

/** `-oFILE`, `-soFILE`, `--output=FILE`. */
const gluedTo = (name: string): RegExp =>
  new RegExp(name.startsWith('--') ? `^${name}=(.+)` : `^-[a-zA-Z]*?${name.slice(1)}(.+)`, 's');

const writes =
  /(?<!stdout\.|stderr\.)\bwrite|\b(?:unlink|rename|chmod|truncate|remove|rmtree|rmSync|rmdir)|\bopen\w*\s*\([^)]*,\s*(?:mode\s*=\s*)?['"][^'"\s]*[wax+>]|\bopen\b[^;\n]*['"]\s*\+?>/i;
const takesFolders = /\b(?:rename|rmtree|rmSync|rmdir|move)/i;
const maxNames = 200;

/** Program text of any language that names a file and has a word for changing one. */
function changedByCode({ text: code, language }: ShellText): Written[] {
  if (!language || !writes.test(code)) return [];
  const names = code.match(/[\w.~@%+/-]*\w[\w.~@%+/-]*/g) ?? [];
  return [...new Set(names)].slice(0, maxNames).map(path => ({ path, whole: takesFolders.test(code) }));
}

function commandsForPeople(texts: readonly ShellText[]): string[] {
  const aliases = aliasesOf(texts, isHookloop);
  const called = texts.flatMap(read => callsIn(read, aliases));
  const told = texts.flatMap(read => toldIn(read.language ? read.text : restOf(read)));
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

/** A text of nothing but calls must not be read once for each of them. */
const maxArgs = 200;

function callsIn(read: ShellText, aliases: ReadonlySet<string>): string[] {
  return read.commands.flatMap(command => {
    if (command.kind !== 'simple' || startsNothing(command)) return [];
    const { words } = command;
    return words.flatMap((word, index) =>
      isProgram(word, read) || aliases.has(word.text ?? '') ? askedFor(words.slice(index + 1, index + maxArgs)) : [],
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
  if (name.text === undefined) return ['a hookloop command that is known only when the shell runs it'];
  const options = words.flatMap(({ text, prefix }) => text ?? prefix);
  return isForPeople(name.text, options) ? [`hookloop ${name.text}`] : [];
}
