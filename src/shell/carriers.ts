import { type Hole, holeIn } from './holes.ts';
import type { Command } from './parse.ts';
import type { Reading } from './roles/reading.ts';
import { substitutes } from './special.ts';

/** Names of variables that may hold a value; `@` stands for positional parameters. */
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
const readers = new Set(['read', 'mapfile', 'readarray', 'getopts']);

/** The variables that values get into, besides those already known. */
export function carriersIn(commands: readonly Command[], readings: readonly Reading[], from: Text): Carriers {
  const own = from.holes.map(({ variable }) => variable);
  const exact = new Set([...(from.carriers?.exact ?? []), ...own]);
  const all = new Set([...(from.carriers?.all ?? []), ...own]);
  spread(commands, readings, from.text, exact, range => {
    const hole = holeIn(from.holes, range);
    return hole !== undefined && !substitutes(from.text.slice(range.start, hole.start));
  });
  spread(commands, readings, from.text, all, range => {
    return (
      holeIn(from.holes, range) !== undefined || (from.fed && substitutes(from.text.slice(range.start, range.end)))
    );
  });
  return { exact, all };
}

/** Whether a text, as the shell expands or evaluates it, uses one of these variables. */
export function uses(source: string, names: ReadonlySet<string>): boolean {
  const found = source.match(/[A-Za-z_]\w*|\$\{?[!#]?[\d@*]/g) ?? [];
  return found.some(name => names.has(name.startsWith('$') ? '@' : name));
}

function spread(
  commands: readonly Command[],
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
