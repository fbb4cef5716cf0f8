import { type Hole, holeIn } from './holes.ts';
import type { Parsed } from './parse.ts';
import { copiers, readers } from './roles/programs.ts';
import type { Reading } from './roles/reading.ts';
import type { Command, Word } from './syntax/scan.ts';

/** Names of variables that may hold a value and of functions that may print one; `@` stands for positional parameters. */
export interface Carriers {
  /** Hold the value itself. */
  exact: ReadonlySet<string>;
  /** Hold it, or what a program made of it. */
  all: ReadonlySet<string>;
}

interface Text {
  text: string;
  holes: readonly Hole[];
  fed: boolean;
  carriers?: Carriers;
}
type Range = { start: number; end: number };

const PASSES = 4;
/** A longer function counts as one that holds a value: functions inside of functions could multiply. */
const BODY_LIMIT = 4096;
const sets = /^\$\{(\w+):?=/;
const reply = { text: 'REPLY' };

/** What values get into, besides what is already known. */
export function carriersIn(parsed: Parsed, readings: readonly Reading[], from: Text): Carriers {
  const own = from.holes.map(({ variable }) => variable);
  const exact = new Set([...(from.carriers?.exact ?? []), ...own]);
  const all = new Set([...(from.carriers?.all ?? []), ...own]);
  spread(parsed, readings, from.text, exact, range => {
    const hole = holeIn(from.holes, range);
    return hole !== undefined && !substitutes(from.text.slice(range.start, hole.start));
  });
  const takes = (range: Range): boolean =>
    holeIn(from.holes, range) !== undefined || (from.fed && substitutes(from.text.slice(range.start, range.end)));
  spread(parsed, readings, from.text, all, takes);
  // A function has positional parameters of its own: what they hold is seen where it is called.
  const variables = new Set(all);
  variables.delete('@');
  for (const { kind, words, end: start, bodyEnd: end = from.text.length } of parsed.commands) {
    if (kind !== 'function') continue;
    if (end - start > BODY_LIMIT || takes({ start, end }) || expandsOne(from.text.slice(start, end), variables))
      all.add(words[0]?.text ?? '@');
  }
  return { exact, all };
}

/** Whether a text, as the shell expands or evaluates it, uses one of these variables. */
export function uses(source: string, names: ReadonlySet<string>): boolean {
  const found = source.match(/[A-Za-z_]\w*|\$\{?[!#]?[\d@*]/g) ?? [];
  return found.some(name => names.has(name.startsWith('$') ? '@' : name));
}

function spread(
  { commands, regions }: Parsed,
  readings: readonly Reading[],
  text: string,
  names: Set<string>,
  takes: (range: Range) => boolean,
): void {
  const holds = (range: Range): boolean =>
    range.start >= 0 && (takes(range) || expandsOne(text.slice(range.start, range.end), names));
  for (let pass = 0, size = -1; pass < PASSES && size !== names.size; pass++) {
    size = names.size;
    for (const [index, command] of commands.entries()) spreadThrough(command, readings[index]!, names, holds);
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

function spreadThrough(
  { kind, words, assignments }: Command,
  reading: Reading,
  names: Set<string>,
  holds: (range: Range) => boolean,
): void {
  for (const { name, value } of assignments) if (holds(value)) names.add(name);
  for (const index of reading.assignments) {
    const word = reading.words[index]!;
    if (holds(word)) names.add(/^\w+/.exec(word.prefix)?.[0] ?? '@');
  }
  if (kind === 'for' && words.slice(1).some(holds)) names.add(words[0]?.text ?? '@');
  if (kind === 'function') names.add('@');
  for (const { program, at } of reading.runs) {
    if (program === 'set' && words.some(holds)) names.add('@');
    if (readers.has(program)) for (const { text } of [...words.slice(at + 1), reply]) names.add(text ?? '@');
    // What it sets is not known: no name, but more than nothing.
    if (program === '.' || program === 'source') names.add('.');
  }
}

/** Whether the text puts values where later commands find them: variables, positional parameters, a function's arguments. */
export function carriesValues(parsed: Parsed, readings: readonly Reading[], from: Omit<Text, 'carriers'>): boolean {
  const { text, holes } = from;
  if (holes.length === 0) return false;
  const own = new Set(holes.map(({ variable }) => variable));
  if (/HOOK_\w/.test(text) || [...own].some(variable => text.includes(variable))) return true;
  return carriersIn(parsed, readings, from).all.size > own.size;
}

/** The first of these variables that the text itself sets: its placeholder would no longer stand for the value. */
export function overwritten(
  commands: readonly Command[],
  text: string,
  variables: readonly string[],
): string | undefined {
  return variables.find(
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
}

/** Files that may hold values: by name, or where that is not known by how the name ends. */
export interface Written {
  names: ReadonlySet<string>;
  ends: ReadonlySet<string>;
}

const NAME_LIMIT = 100;
const outputs = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);
const noFile = /^(\d+|-|\/dev\/(null|stdout|stderr|tty|fd\/\d+))$/;
/** Operators that give a command its stdin. */
export const inputs = new Set(['<', '<<', '<<-', '<<<', '<>']);

/** The files that values may be written to, besides those already known. With `carried` every command may write them. */
export function writtenFiles(
  commands: readonly Command[],
  readings: readonly Reading[],
  holes: readonly Hole[],
  { carried, written }: { carried: boolean; written?: Written },
): Written {
  const names = new Set(written?.names);
  const ends = new Set(written?.ends);
  for (const [index, command] of commands.entries()) {
    const mayHold = carried || holdsValue(command, holes);
    const files = mayHold ? command.redirections.filter(isOutput).map(({ target }) => target) : [];
    const copies = readings[index]!.runs.some(({ program }) => copiers.has(program));
    const isFed = mayHold || command.stage > 0 || names.size + ends.size > 0;
    if (copies && isFed) files.push(...command.words.slice(1));
    for (const { end, whole } of files.map(nameOf)) (whole ? names : ends).add(end);
  }
  return { names, ends };
}

const isOutput = ({ operator, target }: Command['redirections'][number]) =>
  outputs.has(operator) && !noFile.test(target.text ?? '');

function holdsValue({ kind, words, redirections, stage }: Command, holes: readonly Hole[]): boolean {
  if (kind === 'compound' || stage > 0) return true;
  return words.some(word => holeIn(holes, word)) || redirections.some(({ body }) => body && holeIn(holes, body));
}

/** They print all variables, those of the placeholders too. */
const dumps = /(^|\/)(env|printenv|set|export|declare|typeset|readonly|local)$/;

/** Whether values travel where a substitution could pick them up: pipes, here-documents, files, lists of variables. */
export function feedsValues(commands: readonly Command[], holes: readonly Hole[]): boolean {
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
  { words, scripts, stdin }: Reading,
  { redirections }: Command,
  written: Written,
  holes: readonly Hole[],
): boolean {
  if (written.names.size === 0 && written.ends.size === 0) return false;
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
