import {
  type Alias,
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  YAMLSeq,
} from 'yaml';
import {
  broken,
  createLimits,
  type Flaw,
  FlawError,
  guardParse,
  type Located,
  type LocatedEntry,
  type Parsed,
  type Scalar,
  type Span,
  toScalar,
} from './located.ts';

/** One YAML document, 1.2 core schema, with aliases and merge keys resolved under a limit. */
export function parseYaml(text: string): Parsed {
  return guardParse(text, () => {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'error', uniqueKeys: false });
    if (document.errors.length > 0) return broken(...document.errors.slice(0, 20).map(describe));
    return { kind: 'parsed', root: document.contents ? locate(document.contents) : undefined, flaws: [] };
  });
}

function locate(root: Node): Located {
  const limits = createLimits();
  // The parser's own look-up walks the whole document for each alias; this one is met in document order anyway.
  const anchors = new Map<string, Node>();
  const visit = (node: unknown, at: Span, depth: number, inAlias = false): Located => {
    limits.enter(depth);
    const span = spanOf(node) ?? at;
    if (isAlias(node)) return visit(target(node, anchors, span), span, depth + 1, true);
    // Of equal names the latest counts; what an alias repeats was named where it stands.
    if (!inAlias && isNode(node) && 'anchor' in node && node.anchor) anchors.set(node.anchor, node);
    if (isSeq(node))
      return { kind: 'list', span, items: node.items.map(item => visit(item, span, depth + 1, inAlias)) };
    if (isMap(node))
      return {
        kind: 'map',
        span,
        entries: mergeKeys(unique(node.items.map(pair => entryOf(pair, span, depth, inAlias)))),
      };
    return { kind: 'scalar', span, ...(isScalar(node) ? scalarOf(node) : { value: null }) };
  };
  const entryOf = (pair: Pair, at: Span, depth: number, inAlias: boolean): LocatedEntry => {
    const keySpan = spanOf(pair.key) ?? at;
    if (!isScalar(pair.key)) throw new FlawError('a key must be a plain name', keySpan);
    return { key: String(pair.key.value), keySpan, value: visit(pair.value, keySpan, depth + 1, inAlias) };
  };
  return visit(root, { start: 0, end: 0 }, 0);
}

function target(alias: Alias, anchors: ReadonlyMap<string, Node>, span: Span): Node {
  const node = anchors.get(alias.source);
  if (!node) throw new FlawError(`nothing before it is named &${alias.source}`, span);
  return node;
}

/** Our own check: the parser's compares each key with each other one. */
function unique(entries: readonly LocatedEntry[]): readonly LocatedEntry[] {
  const keys = new Set<string>();
  for (const { key, keySpan } of entries) {
    if (keys.has(key) && key !== '<<')
      throw new FlawError(`not valid YAML: "${key}" is given twice`, keySpan, 'remove one of them');
    keys.add(key);
  }
  return entries;
}

/** `<<: *base` adds the entries of base that the map does not have itself. */
function mergeKeys(entries: readonly LocatedEntry[]): readonly LocatedEntry[] {
  if (!entries.some(entry => entry.key === '<<')) return entries;
  const own = entries.filter(entry => entry.key !== '<<');
  const merged = new Map(own.map(entry => [entry.key, entry]));
  for (const { value } of entries.filter(entry => entry.key === '<<'))
    for (const base of value.kind === 'list' ? value.items : [value])
      if (base.kind === 'map')
        for (const entry of base.entries) if (!merged.has(entry.key)) merged.set(entry.key, entry);
  return [...merged.values()];
}

function scalarOf({ value, type }: { value: unknown; type?: unknown }): { value: Scalar; asFlag?: boolean } {
  const word = type === 'PLAIN' && typeof value === 'string' ? oldFlag.exec(value) : null;
  return { value: toScalar(value), ...(word && { asFlag: word[1] !== undefined }) };
}

/** Words for true (the group) and false of YAML 1.1, which are texts in 1.2. */
const oldFlag = /^(?:(yes|Yes|YES|on|On|ON)|no|No|NO|off|Off|OFF)$/;

function spanOf(node: unknown): Span | undefined {
  const range = (node as { range?: readonly [number, number, number] | null } | null)?.range;
  return range ? { start: range[0], end: range[1] } : undefined;
}

function describe(error: { message: string; pos: [number, number] }): Flaw {
  const message = error.message.replace(/\s+/g, ' ').trim();
  const hint = /tab/i.test(message) ? 'indent with spaces' : undefined;
  return {
    message: `not valid YAML: ${message}`,
    ...(hint && { hint }),
    span: { start: error.pos[0], end: error.pos[1] },
  };
}

/** A value with a remark above it. */
export interface Remarked {
  value: unknown;
  remark?: string;
}

/** Lists of values under names, with what stands beside them: `key: ...` for all of `settings`, then `hooks:` and the lists. */
export interface ListsFile {
  /** Lines at its top. */
  remarks: readonly string[];
  settings: Readonly<Record<string, unknown>>;
  /** The key under which the lists stand. */
  key: string;
  lists: ReadonlyMap<string, readonly Remarked[]>;
}

/** The text of such a file. What fits on a line stands on one. */
export function writeLists({ remarks, settings, key, lists }: ListsFile): string {
  const document = new Document({ ...settings, [key]: {} });
  const points = document.get(key) as YAMLMap;
  points.flow = false;
  for (const [name, listed] of lists) {
    const list = new YAMLSeq();
    for (const { value, remark } of listed) {
      const node = document.createNode(value);
      if (isMap(node)) {
        node.flow = isShort(value);
        for (const { value: part } of node.items) if (isSeq(part) && part.items.every(isScalar)) part.flow = true;
      }
      if (isScalar(node) && typeof value === 'string' && value.includes('\n')) node.type = 'BLOCK_LITERAL';
      if (remark !== undefined) node.commentBefore = ` ${oneLine(remark)}`;
      list.items.push(node);
    }
    points.set(name, list);
  }
  document.commentBefore = remarks.map(remark => ` ${oneLine(remark)}`).join('\n');
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

const maxLength = 110;

/** A few plain values, or lists of them. */
function isShort(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isPlain = (one: unknown): boolean => typeof one !== 'object' && !String(one).includes('\n');
  const parts = Object.entries(value);
  const length = parts.reduce((sum, [key, part]) => sum + key.length + String(part).length + 4, 4);
  return length <= maxLength && parts.every(([, part]) => (Array.isArray(part) ? part.every(isPlain) : isPlain(part)));
}

/** A name of a file may hold anything; a remark ends with its line. */
const oneLine = (text: string): string => text.replaceAll(/[\x00-\x1f\x7f\u0085\u2028\u2029]+/g, ' ');
