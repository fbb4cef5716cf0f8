import { gitCommandAt } from './roles/arguments.ts';
import { baseName, programOf, type Reading } from './roles/reading.ts';
import { aliasesOf, readTexts, restOf, type ShellText, startsNothing } from './texts.ts';

const isGit = (name: string | undefined) => name === 'git';

/**
 * The git commands a shell text runs (`commit`, `push`), each once, in order; `*` is one that no one can tell before it
 * runs (`git $x`). Contract: never throws.
 */
export const gitCommands = (text: string): string[] => [...new Set(gitCalls(text).map(({ command }) => command))];

/** `args`: what stands behind the command, undefined where no one can tell before it runs. */
interface GitCall {
  command: string;
  args: readonly (string | undefined)[];
}

/** The same with their arguments. */
function gitCalls(script: string): GitCall[] {
  const { texts, isWhole } = readTexts(script, 'printed');
  const aliases = aliasesOf(texts, value => isGit(baseName(value)));
  const found: GitCall[] = [];
  for (const text of texts) collect(text, aliases, found);
  return isWhole ? found : [...found, anything];
}

/** What a shell text would do to a repository, as events: a commit, a new branch. What no one can tell may be both. */
export function gitEvents(text: string): readonly ('branch.creating' | 'commit.creating')[] {
  const calls = gitCalls(text);
  const commits = calls.some(({ command }) => command === '*' || command === 'commit');
  const branches = calls.some(call => call.command === '*' || makesBranch(call));
  return [...(branches ? (['branch.creating'] as const) : []), ...(commits ? (['commit.creating'] as const) : [])];
}

function makesBranch({ command, args }: GitCall): boolean {
  const has = (option: RegExp): boolean => args.some(arg => arg !== undefined && option.test(arg));
  switch (command) {
    case 'branch':
      return !has(otherWork) && args.some(arg => arg === undefined || !arg.startsWith('-'));
    case 'checkout':
      return has(/^(-[a-zA-Z]*[bBt]|--orphan|--track)/) && !has(/^--$/);
    case 'switch':
      return has(/^(-[a-zA-Z]*[cCt]|--create|--force-create|--orphan|--track)/);
    case 'worktree':
      return args[0] === undefined ? args.length > 0 : args[0] === 'add';
    default:
      return false;
  }
}

/** `git branch` that lists, removes, renames or looks. */
const otherWork =
  /^(-[a-zA-Z]*[dDmMlrauv]|--(delete|move|list|remotes|all|show-current|contains|no-contains|merged|no-merged|points-at|set-upstream-to|unset-upstream|edit-description|verbose|sort|format))/;

/** What no one can tell. */
const anything: GitCall = { command: '*', args: [undefined] };

function collect(read: ShellText, aliases: ReadonlySet<string>, found: GitCall[]): void {
  const { text, commands, language } = read;
  if (language) {
    if (language === 'code') collectLoosely(text, found);
    return;
  }
  const namesGit = commands.some(({ assignments }) =>
    assignments.some(({ value }) => /\bgit\b/.test(value.text ?? '')),
  );
  for (const command of commands) {
    if (command.kind === 'simple') collectWords(command, aliases, found);
    if (mayNameGit(text, command, namesGit)) found.push(anything);
  }
  collectLoosely(restOf(read), found);
}

/** Any program may start the git that it is given, unless it is known to start nothing. */
function collectWords(reading: Reading, aliases: ReadonlySet<string>, found: GitCall[]): void {
  const { words } = reading;
  if (reading.unsure && words.length > 1000 && words.some(({ prefix }) => /\bgit\b/.test(prefix))) found.push(anything);
  if (startsNothing(reading)) return;
  let index = 0;
  while (index < words.length) {
    if (!isGit(programOf(words[index])) && !(index === 0 && aliases.has(words[0]!.text ?? ''))) {
      const own = ownProgram(reading, index);
      if (own) found.push({ command: own, args: argsFrom(words, index + 1) });
      index++;
      continue;
    }
    const place = gitCommandAt(reading, index, words.length);
    const options = words.slice(index + 1, place);
    const isOpen = options.some(word => word.text === undefined && word.prefix.startsWith('-'));
    if (isOpen || options.some(({ prefix }) => prefix.startsWith('alias.'))) found.push(anything);
    if (words[place] && !isOpen) found.push({ command: words[place].text || '*', args: argsFrom(words, place + 1) });
    if (words[place]?.text === 'send-pack') found.push({ command: 'push', args: argsFrom(words, place + 1) });
    index = Math.max(place, index + 1);
  }
}

/** More than a person writes; a text of nothing but gits must not be read once for each of them. */
const maxArgs = 50;

const argsFrom = (words: Reading['words'], from: number): GitCall['args'] =>
  words.slice(from, from + maxArgs).map(({ text }) => text);

/** `git-push`, by name or in git's own folder. Programs of others are called `git-...` too. */
function ownProgram({ words, runs }: Reading, index: number): string | undefined {
  const word = words[index]!.text ?? words[index]!.suffix;
  const inFolder = /git-core\/git-([a-z-]+)$/.exec(word)?.[1];
  const named = runs.some(({ at }) => at === index) ? /(?:^|\/)git-([a-z-]+)$/.exec(word)?.[1] : undefined;
  return inFolder ?? (named !== undefined && changing.has(named) ? named : undefined);
}

const changing: ReadonlySet<string> = new Set(
  'add am apply branch checkout cherry-pick commit fetch merge pull push rebase reset restore revert send-pack switch tag worktree'.split(
    ' ',
  ),
);

/** `$g push` and `eval "$c"`, where the text itself speaks of git. */
function mayNameGit(text: string, { words, marks }: Reading, namesGit: boolean): boolean {
  return marks.some(({ index, role }) => {
    const word = words[index];
    if ((role !== 'program' && role !== 'code') || !word || word.text !== undefined || word.start < 0) return false;
    if (role === 'program' && programOf(word) !== undefined) return false;
    const saysGit = role === 'program' && /\bgit\b/.test(text.slice(word.start, word.end));
    return word.expands !== 'no' && (namesGit || saysGit);
  });
}

/** Where nothing else can be told: every `git` with a word behind it. */
function collectLoosely(text: string, found: GitCall[]): void {
  const words = text.split(/[\s;&|()'"`,[\]]+/);
  for (const [index, word] of words.entries()) {
    if (!isGit(word.slice(word.lastIndexOf('/') + 1))) continue;
    const rest = words.slice(index + 1, index + 20);
    const place = rest.findIndex(
      (option, at) => !option.startsWith('-') && !/^(-[Cc]|--(git-dir|work-tree))$/.test(rest[at - 1] ?? ''),
    );
    const name = rest[place];
    if (name) found.push({ command: /^[\w-]+$/.test(name) ? name : '*', args: [undefined] });
  }
}
