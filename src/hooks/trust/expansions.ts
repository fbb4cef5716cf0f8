import { type ShellText, sourceOf } from './command-texts.ts';

/** What the variables of a command may stand for, as far as it says so itself. */
export interface Variables {
  /** What an expression may become: its literal words, with variables filled in and the tail behind what is not known. */
  expand(source: string): readonly string[];
}

const maxValues = 60;
const maxDepth = 5;
const variable = /\$(?:(\w+|[@*])|\{[!#]?(\w+|[@*])(?:\[[^\]]*\])?(?::?[-=?+]([^{}]*)|[^{}]*)\})/;

export function variablesOf(texts: readonly ShellText[]): Variables {
  const sources = assignedIn(texts);
  // Arguments of functions, and what `read` reads, may be any word of the command.
  const readsWords = texts.some(({ readings }) => readings.some(reads));
  const everything = texts.map(({ text }) => text);
  const sourcesOf = (name: string): readonly string[] =>
    sources.get(name) ?? (/^([1-9@*]|\d\d+)$/.test(name) || readsWords ? everything : []);
  const cache = new Map<string, readonly string[]>();

  function expand(source: string, depth: number): readonly string[] {
    const known = cache.get(source);
    if (known) return known;
    // Stands here while it is looked for, so that `A=$A` ends.
    cache.set(source, []);
    const found = new Set<string>();
    for (const piece of piecesOf(source)) {
      if (found.size >= maxValues) break;
      for (const value of fill(piece, depth)) found.add(value);
    }
    const values = [...found].slice(0, maxValues);
    cache.set(source, values);
    return values;
  }

  function fill(piece: string, depth: number): readonly string[] {
    const match = variable.exec(piece);
    if (!match) return piece.includes('$') ? [] : tailOf(piece);
    const [whole, plain, braced, otherwise] = match;
    const tail = piece.slice(match.index + whole.length);
    const head = piece.slice(0, match.index);
    if (depth >= maxDepth) return [];
    const values = [...sourcesOf(plain ?? braced!), ...(otherwise ? [otherwise] : [])].flatMap(value =>
      expand(value, depth + 1),
    );
    const filled = values.slice(0, maxValues).flatMap(value => fill(`${head}${value}${tail}`, depth + 1));
    return [...filled, ...(tail.startsWith('/') ? fill(`.${tail}`, depth + 1) : [])].slice(0, maxValues);
  }

  return { expand: source => expand(source, 0) };
}

/** What the texts set their variables to, as it is written there. */
export function assignedIn(texts: readonly ShellText[]): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>();
  const add = (name: string, source: string): void => {
    const known = sources.get(name);
    if (known === undefined) sources.set(name, [source]);
    else if (known.length < maxValues) known.push(source);
  };
  for (const read of texts) addSources(read, add);
  return sources;
}

const reads = ({ runs }: ShellText['readings'][number]): boolean =>
  runs.some(({ program }) => program === 'read' || program === 'mapfile' || program === 'readarray');

function addSources(read: ShellText, add: (name: string, source: string) => void): void {
  for (const [at, command] of read.commands.entries()) {
    for (const { name, value } of command.assignments) add(name, sourceOf(read, value));
    const [first, ...items] = command.kind === 'for' ? command.words : [];
    for (const item of items) add(first?.text ?? '', sourceOf(read, item));
    const { assignments, words } = read.readings[at]!;
    for (const index of assignments) {
      const [, name, value] = /^(\w+)\+?=([\s\S]*)$/.exec(sourceOf(read, words[index]!)) ?? [];
      if (name !== undefined) add(name, value!);
    }
  }
}

const piecesOf = (source: string): string[] => {
  const plain = source.replaceAll(/["']/g, '');
  // `${x:-a b}` is one piece.
  return (plain.match(/(?:\$\{[^{}]*\}|[^\s;&|()<>`])+/g) ?? []).filter(piece => piece !== '$');
};

/** Behind a substitution a slash does not lead to the root of the disk. */
const tailOf = (piece: string): string[] => (/^\/(?!\.hookloop-)/.test(piece) ? [piece, `.${piece}`] : [piece]);
