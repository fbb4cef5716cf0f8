import { type Hole, holeIn } from './holes.ts';
import { copiers, readers } from './roles/programs.ts';
import type { Reading, ReadText } from './roles/reading.ts';
import type { Redirection, Word } from './syntax/scan.ts';

/** Where values may have got to, besides the holes of a text. */
export interface Flow {
  /** A value may be in any variable: a reader of other people's variables can be wrong about names. */
  carried: boolean;
  /** The variables that hold values, where only these count: what must be exact does not rely on names. */
  carriers?: Carriers;
  /** What a substitution prints may hold one. */
  fed: boolean;
  /** What the whole text reads from stdin may hold one. */
  piped: boolean;
  /** Files that may hold them. */
  written: Written;
}

/** Names of variables that may hold a value and of functions that may print one; `@` stands for positional parameters. */
export interface Carriers {
  /** Hold the value itself. */
  exact: ReadonlySet<string>;
  /** Hold it, or what a program made of it. */
  all: ReadonlySet<string>;
}

/** Files by name, or where that is not known by how the name ends. */
interface Written {
  names: ReadonlySet<string>;
  ends: ReadonlySet<string>;
}

type Holes = readonly Hole[];
type Range = { start: number; end: number };

export const nowhere: Flow = {
  ...{ carried: false, fed: false, piped: false },
  written: { names: new Set(), ends: new Set() },
};

/** Where the commands of a text take values, besides where they are already. */
export function flowIn(read: ReadText, holes: Holes, before: Flow): Flow {
  const fed = before.fed || feedsValues(read, holes);
  const carried = before.carried || carriesValues(read, holes, fed);
  const written = writtenFiles(read, holes, { ...before, carried });
  const carriers = before.carriers && carriersIn(read, holes, fed, before.carriers);
  return { ...before, carried, fed, written, ...(carriers && { carriers }) };
}

/** Whether a value may have reached a text: by any variable, or by those known to hold it (`exact`: unchanged). */
export const reaches = ({ carried, carriers }: Flow, source: string, how: keyof Carriers): boolean =>
  carriers ? uses(source, carriers[how]) : carried;

/** Beyond it no one looks for what feeds what. */
const COMMAND_LIMIT = 500;

/** Whether a value may be in what the command reads from stdin. Where its pipeline begins is not always known: then all before it counts. */
export function isFed(
  command: Reading,
  { text, commands }: ReadText,
  holes: Holes,
  { carriers, piped }: Flow,
): boolean {
  if (!carriers || piped || commands.length > COMMAND_LIMIT) return true;
  const joined = commands.filter(({ pipeline, stage }) => pipeline === command.pipeline && stage <= command.stage);
  const start = joined.find(({ kind, stage }) => kind === 'simple' && stage < command.stage)?.start ?? 0;
  const bodies = joined.flatMap(({ redirections }) => redirections.map(({ body }) => body?.end ?? 0));
  const end = Math.max(command.end, ...bodies);
  return holeIn(holes, { start, end }) !== undefined || uses(text.slice(start, end), carriers.all);
}

/** In a text that is run by another one: which variables it sees is not told, unless their names are. */
export const insideOf = ({ carriers, ...flow }: Flow, getsValues: boolean): Flow => ({
  ...flow,
  carried: true,
  ...(carriers && { carriers: getsValues ? withPositional(carriers) : carriers }),
});

const withPositional = ({ exact, all }: Carriers): Carriers => ({
  exact: new Set([...exact, '@']),
  all: new Set([...all, '@']),
});

const PASSES = 4;
/** A longer function counts as one that holds a value: functions inside functions could multiply. */
const BODY_LIMIT = 4096;
const sets = /^\$\{(\w+):?=/;
const reply = { text: 'REPLY' };

function carriersIn(read: ReadText, holes: Holes, fed: boolean, before?: Carriers): Carriers {
  const { text, commands } = read;
  const own = holes.map(({ variable }) => variable);
  const exact = new Set([...(before?.exact ?? []), ...own]);
  const all = new Set([...(before?.all ?? []), ...own]);
  spread(read, exact, range => {
    const hole = holeIn(holes, range);
    return hole !== undefined && !substitutes(text.slice(range.start, hole.start));
  });
  const takes = (range: Range): boolean =>
    holeIn(holes, range) !== undefined || (fed && substitutes(text.slice(range.start, range.end)));
  spread(read, all, takes);
  // A function has positional parameters of its own: what they hold is seen where it is called.
  const variables = new Set(all);
  variables.delete('@');
  for (const { kind, words, end: start, bodyEnd: end = text.length } of commands) {
    if (kind !== 'function') continue;
    if (end - start > BODY_LIMIT || takes({ start, end }) || expandsOne(text.slice(start, end), variables))
      all.add(words[0]?.text ?? '@');
  }
  return { exact, all };
}

/** Whether a text, as the shell expands or evaluates it, uses one of these variables. */
function uses(source: string, names: ReadonlySet<string>): boolean {
  const found = source.match(/[A-Za-z_]\w*|\$\{?[!#]?[\d@*]/g) ?? [];
  return found.some(name => names.has(name.startsWith('$') ? '@' : name));
}

function spread({ text, commands, regions }: ReadText, names: Set<string>, takes: (range: Range) => boolean): void {
  const holds = (range: Range): boolean =>
    range.start >= 0 && (takes(range) || expandsOne(text.slice(range.start, range.end), names));
  for (let pass = 0, size = -1; pass < PASSES && size !== names.size; pass++) {
    size = names.size;
    for (const command of commands) spreadThrough(command, names, holds);
    for (const region of regions) {
      const name = sets.exec(text.slice(region.start, region.start + 256))?.[1];
      if (name && !names.has(name) && holds(region)) names.add(name);
    }
  }
}

/** Unlike `uses` it wants a dollar sign: the right side of an assignment is text. */
const expandsOne = (source: string, names: ReadonlySet<string>): boolean =>
  [...source.matchAll(/\$\{?[!#]?([A-Za-z_]\w*|[\d@*])/g)].some(([, name]) =>
    names.has(/^\w*[A-Za-z_]/.test(name!) ? name! : '@'),
  );

function spreadThrough(command: Reading, names: Set<string>, holds: (range: Range) => boolean): void {
  const { kind, words, assignments, runs } = command;
  for (const { name, value } of assignments) if (holds(value)) names.add(name);
  if (kind === 'for' && words.slice(1).some(holds)) names.add(words[0]?.text ?? '@');
  if (kind === 'function') names.add('@');
  for (const { program, at } of runs) {
    if (program === 'set' && words.some(holds)) names.add('@');
    if (readers.has(program)) for (const { text } of [...words.slice(at + 1), reply]) names.add(text ?? '@');
    // What it sets is not known: no name, but more than nothing.
    if (program === '.' || program === 'source') names.add('.');
  }
}

/** Whether the text puts values where later commands find them: variables, positional parameters, a function's arguments. */
function carriesValues(read: ReadText, holes: Holes, fed: boolean): boolean {
  if (holes.length === 0) return false;
  const own = new Set(holes.map(({ variable }) => variable));
  if (/HOOK_\w/.test(read.text) || [...own].some(variable => read.text.includes(variable))) return true;
  return carriersIn(read, holes, fed).all.size > own.size;
}

/** The first of these variables that the text itself sets: its placeholder would no longer stand for the value. */
export const overwritten = ({ text, commands }: ReadText, variables: readonly string[]): string | undefined =>
  variables.find(
    variable =>
      new RegExp(`\\$\\{${variable}:?=`).test(text) ||
      commands.some(
        ({ assignments, words }) =>
          assignments.some(({ name }) => name === variable) ||
          words.some(
            ({ text: word }) => word === variable || word?.startsWith(`${variable}=`) || word === `-v${variable}`,
          ),
      ),
  );

const NAME_LIMIT = 100;
const outputs = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);
const noFile = /^(\d+|-|\/dev\/(null|stdout|stderr|tty|fd\/\d+))$/;
/** Operators that give a command its stdin. */
export const inputs = new Set(['<', '<<', '<<-', '<<<', '<>']);

/** The files that values may be written to, besides those already known. With `carried` every command may write them. */
function writtenFiles({ commands }: ReadText, holes: Holes, { carried, written }: Flow): Written {
  const names = new Set(written.names);
  const ends = new Set(written.ends);
  for (const command of commands) {
    const mayHold = carried || holdsValue(command, holes);
    const files = mayHold ? command.redirections.filter(isOutput).map(({ target }) => target) : [];
    const copies = command.runs.some(({ program }) => copiers.has(program));
    const isFed = mayHold || command.stage > 0 || names.size + ends.size > 0;
    if (copies && isFed)
      files.push(...command.words.filter(({ start }, at) => at > 0 && start >= 0 && !command.filled?.has(at)));
    for (const { end, whole } of files.map(nameOf)) (whole ? names : ends).add(end);
  }
  return { names, ends };
}

const isOutput = ({ operator, target }: Redirection) => outputs.has(operator) && !noFile.test(target.text ?? '');

function holdsValue({ kind, words, redirections, stage }: Reading, holes: Holes): boolean {
  if (kind === 'compound' || stage > 0) return true;
  return words.some(word => holeIn(holes, word)) || redirections.some(({ body }) => body && holeIn(holes, body));
}

/** They print all variables, those of the placeholders too. */
const dumps = /(^|\/)(env|printenv|set|export|declare|typeset|readonly|local)$/;

/** Whether values travel where a substitution could pick them up: pipes, here-documents, files, lists of variables. */
function feedsValues({ commands }: ReadText, holes: Holes): boolean {
  if (holes.length === 0) return false;
  return commands.some(
    ({ stage, words, redirections }) =>
      stage > 0 ||
      words.some(({ text }) => dumps.test(text ?? '') || text?.endsWith('/environ')) ||
      redirections.some(
        redirection =>
          isOutput(redirection) ||
          (inputs.has(redirection.operator) && holeIn(holes, redirection.body ?? redirection.target)),
      ),
  );
}

/** Whether the command runs a file that may hold a value. A file that a placeholder itself names is judged elsewhere. */
export function runsWritten(
  { words, scripts, stdin, redirections }: Reading,
  holes: Holes,
  { written }: Flow,
): boolean {
  const { names, ends } = written;
  if (names.size === 0 && ends.size === 0) return false;
  const read = stdin === 'no' ? [] : redirections.filter(({ operator }) => inputs.has(operator));
  const run = [...scripts.flatMap(index => words[index] ?? []), ...read.map(({ target }) => target)];
  return run.some(script => !holeIn(holes, script) && isAmong(script, written));
}

function isAmong(script: Word, { names, ends }: Written): boolean {
  if (names.size + ends.size > NAME_LIMIT) return true;
  const { end, whole } = nameOf(script);
  if (whole) return names.has(end) || [...ends].some(other => end.endsWith(other));
  return [...names].some(name => name.endsWith(end)) || [...ends].some(isEndOf(end));
}

const isEndOf = (one: string) => (other: string) => one.endsWith(other) || other.endsWith(one);

/** Folders do not count: the command may change its own. */
function nameOf({ text, suffix }: Pick<Word, 'text' | 'suffix'>): { end: string; whole: boolean } {
  const known = (text ?? suffix).replace(/^of=/, '');
  return { end: known.slice(known.lastIndexOf('/') + 1), whole: text !== undefined || suffix.includes('/') };
}

/** Shells and common programs run what these hold, or find what they run through them. */
const specialVariables =
  /^(PS\d|PATH|ENV|IFS|CDPATH|SHELL\w*|BASH\w*|(LD|DYLD)_\w+|PROMPT\w*|\w*(EDITOR|PAGER|BROWSER|ASKPASS|COMMAND|OPTIONS|OPTS?|FLAGS)|VISUAL|LESSOPEN|LESSCLOSE|RSYNC_RSH|PYTHON\w+|PERL\w+|RUBY\w+|NODE_\w+|HOME|TERMINFO|GIT_(?!AUTHOR_|COMMITTER_)\w+)$/;

export const isSpecial = (name: string) => specialVariables.test(name);

/** Whether a text expands anything but variables that never hold a value: no value can be put into a special one. */
export function expandsOthers(source: string): boolean {
  if (source.includes('`')) return true;
  return [...source.matchAll(/\$(\{[!#]?)?([A-Za-z_]\w*|[^'"])/g)].some(found => !isSpecial(found[2]!));
}

/** Whether a word holds a command or process substitution. */
export const substitutes = (source: string) => /\$\(|`|[<>]\(/.test(source);
