import { runsWritten, writtenFiles } from './flow.ts';
import { type Parsed, parseCommands } from './parse.ts';
import { gitCommandAt } from './roles/arguments.ts';
import { interpreters, plainPrograms } from './roles/programs.ts';
import { lookUp, programOf, type Reading } from './roles/reading.ts';
import { readAll } from './roles/roles.ts';
import type { Command } from './syntax/scan.ts';

const NESTING_LIMIT = 8;
const EFFORT = 6;
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

/** The same with their arguments, in order. */
function gitCalls(text: string): GitCall[] {
  const found: Found = [];
  collect(text, { found, left: text.length * EFFORT + 10_000 }, 0);
  return found;
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

type Found = GitCall[];

/** What no one can tell. */
const anything: GitCall = { command: '*', args: [undefined] };

/** `left`: how many characters may still be read, since texts inside of texts could multiply. */
interface Search {
  found: Found;
  left: number;
}

function collect(text: string, search: Search, depth: number): void {
  const { found } = search;
  search.left -= text.length;
  if (depth > NESTING_LIMIT || search.left < 0) {
    found.push(anything);
    return;
  }
  const parsed = parseCommands(text);
  const readings = readAll(parsed.commands);
  const namesGit = parsed.commands.some(({ assignments }) =>
    assignments.some(({ value }) => /\bgit\b/.test(value.text ?? '')),
  );
  for (const [index, command] of parsed.commands.entries()) {
    const reading = readings[index]!;
    if (reading.words.length === 0) continue;
    collectWords(reading, found);
    if (mayNameGit(text, reading, namesGit)) found.push(anything);
    for (const inner of [...innerTexts(text, command, reading), ...handedOn(reading)])
      collect(inner, search, depth + 1);
    for (const code of otherPrograms(reading)) collectLoosely(code, found);
  }
  for (const program of [...parsed.programs, ...printedPrograms(text, parsed, readings), ...aliased(readings)])
    collect(program, search, depth + 1);
  if (parsed.stopped !== undefined) collectLoosely(text.slice(parsed.stopped), found);
}

/** Any program may start the git that it is given, unless it is known to start nothing. */
function collectWords(reading: Reading, found: Found): void {
  const { words, runs } = reading;
  if (reading.unsure && words.length > 1000 && words.some(({ prefix }) => /\bgit\b/.test(prefix))) found.push(anything);
  if (runs.length > 0 && runs.every(({ program }) => plainPrograms.has(program) || program === 'printf')) return;
  let index = 0;
  while (index < words.length) {
    if (!isGit(programOf(words[index]))) {
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

/** What git itself hands to a shell: `git rebase -x 'git push'`. */
function handedOn({ marks, words }: Reading): readonly string[] {
  const isRebase = words.some(({ text }) => text === 'rebase');
  if (!isRebase) return none;
  const marked = marks.flatMap(({ index, role, program }) =>
    role === 'code' && program === 'git rebase' ? (words[index]?.text ?? []) : [],
  );
  return [...marked, ...words.flatMap(({ text }) => /^--exec=(.*)$/s.exec(text ?? '')?.[1] ?? [])];
}

/** `alias g=git; g push` as `git push`. */
function aliased(readings: readonly Reading[]): readonly string[] {
  const names = new Set<string | undefined>();
  for (const { words } of readings)
    if (words[0]?.text === 'alias')
      for (const { text } of words) names.add(/^([\w-]+)=(?:\S*\/)?git$/.exec(text ?? '')?.[1]);
  names.delete(undefined);
  if (names.size === 0) return none;
  return readings.flatMap(({ words }) =>
    names.has(words[0]?.text)
      ? [
          `git ${words
            .slice(1)
            .map(({ text }) => text ?? '$x')
            .join(' ')}`,
        ]
      : [],
  );
}

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

/** Most commands hold none; texts of many thousands are read faster without a new list for each. */
const none: readonly string[] = [];

/** Programs that a shell gets from this command: as arguments, or on stdin. */
function innerTexts(text: string, command: Command, reading: Reading): readonly string[] {
  if (reading.shellCode.length + reading.otherCode.length === 0 && reading.stdin !== 'shell') return none;
  const spans = [...reading.shellCode, ...reading.otherCode.map(from => ({ from, to: from + 1 }))];
  const codes = spans.map(({ from, to }) => {
    const words = reading.words.slice(from, to);
    return words.map(word => word.text ?? text.slice(word.start, word.end).replace(/^"|"$/g, '')).join(' ');
  });
  if (reading.stdin !== 'shell') return codes;
  const input = command.redirections.findLast(({ operator }) => operator.startsWith('<<'));
  if (!input) return codes;
  return [...codes, input.body ? text.slice(input.body.start, input.body.end) : (input.target.text ?? '')];
}

/** Program text of other languages. */
function otherPrograms({ marks, words }: Reading): readonly string[] {
  if (!marks.some(({ role }) => role === 'code')) return none;
  return marks.flatMap(({ index, role, program }) => {
    const language = role === 'code' ? lookUp(interpreters, program) : undefined;
    return language && !language.program ? (words[index]?.text ?? []) : [];
  });
}

/** What other commands print where a shell reads it from a pipe, or from a file that the text writes. */
function printedPrograms(text: string, { commands }: Parsed, readings: readonly Reading[]): string[] {
  const isPiped = commands.some(({ stage }, index) => stage > 0 && readings[index]!.stdin !== 'no');
  const written = writtenFiles(commands, readings, [], { carried: true });
  const isRun = isPiped || readings.some((reading, index) => runsWritten(reading, commands[index]!, written, []));
  if (!isRun) return [];
  return commands.flatMap(({ words, redirections }) => {
    const bodies = redirections.map(({ body, target }) =>
      body ? text.slice(body.start, body.end) : (target.text ?? ''),
    );
    const printed = words.slice(1).map(word => word.text ?? text.slice(word.start, word.end));
    return [printed.join(' ').replaceAll('\\n', '\n'), ...bodies];
  });
}

/** Where nothing else can be told: every `git` with a word behind it. */
function collectLoosely(text: string, found: Found): void {
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
