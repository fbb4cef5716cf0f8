/** Offsets into the text of a config file. */
export interface Span {
  start: number;
  end: number;
}

/** A config file's content with the place of everything in it, whatever format it was written in. */
export type Located =
  | { kind: 'map'; span: Span; entries: readonly LocatedEntry[] }
  | { kind: 'list'; span: Span; items: readonly Located[] }
  /** `asFlag`: a word that YAML once took for true or false, which is what it means where one of them is wanted. */
  | { kind: 'scalar'; span: Span; value: Scalar; asFlag?: boolean };

export type Scalar = string | number | boolean | null;

/** What a parser makes of one value; times and the like are texts here. */
export function toScalar(value: unknown): Scalar {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return value instanceof Date ? value.toISOString() : String(value);
}

export interface LocatedEntry {
  key: string;
  keySpan: Span;
  value: Located;
}

/** What is wrong with a text, before a file name is known. */
export interface Flaw {
  message: string;
  hint?: string;
  span: Span;
}

/** `root` is undefined for a file that holds nothing. */
export type Parsed =
  | { kind: 'parsed'; root: Located | undefined; flaws: readonly Flaw[] }
  | { kind: 'broken'; flaws: readonly Flaw[] };

export type ParseConfig = (text: string) => Parsed;

/** No hook file is nested deeper or larger than this; a file that is was made to hurt. */
const maxDepth = 100;
const maxNodes = 100_000;

export const entryOf = (node: Located | undefined, key: string): LocatedEntry | undefined =>
  node?.kind === 'map' ? node.entries.find(entry => entry.key === key) : undefined;

export const childOf = (node: Located | undefined, key: string): Located | undefined => entryOf(node, key)?.value;

/** What a node says where true or false is wanted. */
export const flagOf = (node: Located | undefined): boolean | undefined => {
  if (node?.kind !== 'scalar') return undefined;
  return typeof node.value === 'boolean' ? node.value : node.asFlag;
};

export const itemsOf = (node: Located | undefined): readonly Located[] => (node?.kind === 'list' ? node.items : []);

/** A key without a value, or a file that says nothing. */
export const isNothing = (node: Located): boolean => node.kind === 'scalar' && node.value === null;

/**
 * Where a part of a scalar's value stands in the file. Quotes, escapes, indentation and folded lines make the written
 * text longer than the value; where they cannot be followed, the place is the whole scalar.
 */
export function placeInScalar(fileText: string, node: Located, part: { offset: number; length: number }): Span {
  const { span } = node;
  const value = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : '';
  const places = align(fileText.slice(span.start, span.end), value);
  const first = places?.[part.offset];
  if (places === undefined || first === undefined) return span;
  const last = places[Math.max(part.offset, part.offset + part.length - 1)] ?? first;
  return { start: span.start + first, end: span.start + (part.length === 0 ? first : last + 1) };
}

/** For every character of the value (and for its end) its offset in the written text. */
function align(written: string, value: string): number[] | undefined {
  const quote = written[0] === '"' || written[0] === "'" ? written[0] : undefined;
  const block = written[0] === '|' || written[0] === '>';
  const places: number[] = [];
  let at = block ? written.indexOf('\n') + 1 : quote ? 1 : 0;
  for (let index = 0; index < value.length; index += 1) {
    const wanted = value[index]!;
    if (!isBlank(wanted)) while (isBlank(written[at])) at += 1;
    else if (at >= written.length) {
      places.push(at);
      continue;
    }
    if (quote && written[at] === (quote === '"' ? '\\' : "'") && written[at + 1] === wanted) at += 1;
    if (written[at] !== wanted && !(isBlank(wanted) && isBlank(written[at]))) return undefined;
    places.push(at);
    at += 1;
  }
  return [...places, at];
}

const isBlank = (character: string | undefined): boolean => character !== undefined && /\s/.test(character);

/** What ends the reading of a text; `guardParse` reports it. */
export class FlawError extends Error {
  readonly flaw: Flaw;
  constructor(message: string, span: Span = { start: 0, end: 0 }, hint?: string) {
    super(message);
    this.flaw = { message, span, ...(hint !== undefined && { hint }) };
  }
}

/** Turns what a parser throws into a flaw; one that has recursed too often throws a RangeError. */
export function guardParse(text: string, parse: () => Parsed): Parsed {
  try {
    if (looksBottomless(text)) throw new RangeError();
    return parse();
  } catch (error) {
    const { flaw } =
      error instanceof FlawError
        ? error
        : new FlawError(error instanceof RangeError ? tooDeep : String((error as Error).message));
    return broken(flaw);
  }
}

const tooDeep = 'nested too deeply';
const maxOpen = 500;

/**
 * Parsers recurse. Where the stack runs out inside a regular expression V8 ends the whole process instead of throwing,
 * so a text that nests without end is refused before any parser sees it.
 */
function looksBottomless(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x5b || char === 0x7b) open += 1;
    else if ((char === 0x5d || char === 0x7d) && open > 0) open -= 1;
    if (open > maxOpen) return true;
  }
  return new RegExp(`^[ \\t]{${maxOpen}}|^[ \\t]*(?:[-?:][ \\t]+){${maxOpen / 5}}`, 'm').test(text);
}

export const broken = (...flaws: Flaw[]): Parsed => ({ kind: 'broken', flaws });

/** Counts nodes and depth while a tree is built. Contract: throws a FlawError beyond the limits. */
export function createLimits(): { enter(depth: number): void } {
  let nodes = 0;
  return {
    enter(depth) {
      nodes += 1;
      if (depth > maxDepth) throw new FlawError(tooDeep);
      if (nodes > maxNodes) throw new FlawError(`holds more than ${maxNodes} values`);
    },
  };
}
