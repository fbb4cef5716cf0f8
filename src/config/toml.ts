import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import {
  createLimits,
  FlawError,
  guardParse,
  type Located,
  type LocatedEntry,
  type Parsed,
  type Span,
  toScalar,
} from './located.ts';

/** TOML 1.0 with the place of every key and value. */
export function parseToml(text: string): Parsed {
  return guardParse(text, () => {
    if ((text.match(/^[ \t]*\[/gm)?.length ?? 0) > maxTables)
      throw new FlawError(`holds more than ${maxTables} tables`);
    const root = emptyMap({ start: 0, end: text.length });
    const limits = createLimits();
    for (const node of parseText(text).body[0].body) addNode(root, node, limits);
    return { kind: 'parsed', root: root.entries.length > 0 ? root : undefined, flaws: [] };
  });
}

function parseText(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new FlawError(`not valid TOML: ${error.message}`, { start: error.index, end: error.index + 1 });
  }
}

/** The parser compares each table with each other one. */
const maxTables = 5000;

/** A map under construction, and where each of its keys stands. */
type Building = { kind: 'map'; span: Span; entries: LocatedEntry[]; known: Map<string, Located> };
type Limits = ReturnType<typeof createLimits>;

const emptyMap = (span: Span): Building => ({ kind: 'map', span, entries: [], known: new Map() });
const spanOf = (node: { range: readonly [number, number] }): Span => ({ start: node.range[0], end: node.range[1] });

function addNode(root: Building, node: AST.TOMLTable | AST.TOMLKeyValue, limits: Limits): void {
  if (node.type === 'TOMLKeyValue') {
    addKeyValue(root, node, limits, 0);
    return;
  }
  let map = root;
  for (const [depth, part] of node.resolvedKey.entries()) {
    limits.enter(depth);
    if (typeof part === 'number') continue;
    const next = node.resolvedKey[depth + 1];
    map = typeof next === 'number' ? listItem(map, part, next, spanOf(node)) : child(map, part, spanOf(node.key));
  }
  if (map !== root) map.span = spanOf(node);
  for (const entry of node.body) addKeyValue(map, entry, limits, node.resolvedKey.length);
}

function addKeyValue(map: Building, node: AST.TOMLKeyValue, limits: Limits, depth: number): void {
  const keys = node.key.keys;
  const holder = keys.slice(0, -1).reduce((at, key) => child(at, nameOf(key), spanOf(key)), map);
  const last = keys.at(-1)!;
  add(holder, {
    key: nameOf(last),
    keySpan: spanOf(last),
    value: toLocated(node.value, limits, depth + keys.length),
  });
}

function toLocated(node: AST.TOMLContentNode, limits: Limits, depth: number): Located {
  limits.enter(depth);
  if (node.type === 'TOMLArray')
    return { kind: 'list', span: spanOf(node), items: node.elements.map(item => toLocated(item, limits, depth + 1)) };
  if (node.type === 'TOMLInlineTable') {
    const map = emptyMap(spanOf(node));
    for (const entry of node.body) addKeyValue(map, entry, limits, depth + 1);
    return map;
  }
  return { kind: 'scalar', span: spanOf(node), value: toScalar(node.value) };
}

function add(map: Building, entry: LocatedEntry): void {
  map.entries.push(entry);
  map.known.set(entry.key, entry.value);
}

function child(map: Building, key: string, keySpan: Span): Building {
  const known = map.known.get(key);
  if (known?.kind === 'map') return known as Building;
  const made = emptyMap(keySpan);
  add(map, { key, keySpan, value: made });
  return made;
}

function listItem(map: Building, key: string, index: number, span: Span): Building {
  let list = map.known.get(key) as { kind: 'list'; span: Span; items: Building[] } | undefined;
  if (!list) {
    list = { kind: 'list', span, items: [] };
    add(map, { key, keySpan: span, value: list });
  }
  list.items[index] ??= emptyMap(span);
  return list.items[index]!;
}

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted): string => (key.type === 'TOMLBare' ? key.name : key.value);
