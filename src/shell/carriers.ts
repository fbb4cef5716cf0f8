import { type Hole, holeIn } from './holes.ts';
import type { Command, Parsed } from './parse.ts';
import type { Reading } from './roles/reading.ts';
import { substitutes } from './special.ts';

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
const readers = new Set(['read', 'mapfile', 'readarray', 'getopts']);

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
    if (readers.has(program)) for (const { text } of words.slice(at + 1)) names.add(text ?? '@');
  }
}
