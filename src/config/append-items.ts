import { isDeepStrictEqual } from 'node:util';
import { flowText } from './flow-text.ts';
import { childOf, entryOf, isNothing, type Located } from './located.ts';
import { parseYaml, type Remarked } from './yaml.ts';

/**
 * A YAML text with further items at the end of the list that stands under these keys; what is missing on the way is made.
 * Everything else stays as it is written, to the letter. undefined: the text is written in a way that this cannot be done
 * with, such as a list that is an alias.
 */
export function appendItems(text: string, path: readonly string[], items: readonly Remarked[]): string | undefined {
  const parsed = parseYaml(text);
  if (parsed.kind === 'broken') return undefined;
  const written = inserted(text, parsed.root, path, items);
  const read = written === undefined ? undefined : parseYaml(written);
  if (read?.kind !== 'parsed') return undefined;
  const wanted = withItems(parsed.root && plainOf(parsed.root), path, items);
  return isDeepStrictEqual(read.root && plainOf(read.root), wanted) ? written : undefined;
}

function inserted(
  text: string,
  root: Located | undefined,
  path: readonly string[],
  items: readonly Remarked[],
): string | undefined {
  if (!root || isNothing(root)) return afterLine(text, text.length, blockOf(path, items, ''));
  let map = root;
  for (const [at, key] of path.entries()) {
    const entry = entryOf(map, key);
    if (!entry) return withKey(text, map, path.slice(0, at), path.slice(at), items, root);
    const { value, keySpan } = entry;
    const rest = path.slice(at + 1);
    const inner = `${indentAt(text, keySpan.start)}${step}`;
    if (isNothing(value)) return afterLine(text, keySpan.end, blockOf(rest, items, inner));
    if (rest.length > 0) map = value;
    else return value.kind === 'list' ? withMore(text, value, items, inner) : undefined;
  }
  return undefined;
}

const step = '  ';

/** More items in a list that is there. */
function withMore(
  text: string,
  list: Extract<Located, { kind: 'list' }>,
  items: readonly Remarked[],
  inner: string,
): string | undefined {
  const [first, last] = [list.items[0], list.items.at(-1)];
  if (text[list.span.start] === '[') {
    const more = items.map(({ value }) => flowText(value)).join(', ');
    if (last) return put(text, last.span.end, `, ${more}`);
    return put(text, list.span.start, `\n${blockOf([], items, inner).join('\n')}`, list.span.end);
  }
  const [, indent] = /^([ ]*)- +$/.exec(text.slice(lineStart(text, first!.span.start), first!.span.start)) ?? [];
  return indent === undefined ? undefined : afterLine(text, endOf(text, list), blockOf([], items, indent));
}

/** A key that is not there yet in a map that is. */
function withKey(
  text: string,
  map: Located,
  above: readonly string[],
  path: readonly string[],
  items: readonly Remarked[],
  root: Located,
): string | undefined {
  if (map.kind !== 'map') return undefined;
  const last = map.entries.at(-1);
  if (text[map.span.start] !== '{')
    return (
      last && afterLine(text, endOf(text, map), blockOf(path, items, indentAt(text, map.entries[0]!.keySpan.start)))
    );
  if (last) return put(text, last.value.span.end, `, ${flowOf(path, items)}`);
  const owner = above.length === 0 ? undefined : keyOf(root, above);
  const inner = owner === undefined ? '' : `${indentAt(text, owner)}${step}`;
  const emptied = put(text, map.span.start, '', map.span.end);
  return afterLine(emptied, map.span.start, blockOf(path, items, inner));
}

/** Where the last of these keys stands. */
function keyOf(root: Located, path: readonly string[]): number | undefined {
  const parent = path.slice(0, -1).reduce<Located | undefined>((node, key) => childOf(node, key), root);
  return entryOf(parent, path.at(-1)!)?.keySpan.start;
}

function blockOf(path: readonly string[], items: readonly Remarked[], indent: string): string[] {
  const keys = path.map((key, at) => `${indent}${step.repeat(at)}${flowText(key)}:`);
  const inner = `${indent}${step.repeat(path.length)}`;
  const lines = items.flatMap(({ value, remark }) => [
    ...(remark === undefined ? [] : [`${inner}# ${oneLine(remark)}`]),
    `${inner}- ${flowText(value)}`,
  ]);
  return [...keys, ...lines];
}

const flowOf = ([key, ...rest]: readonly string[], items: readonly Remarked[]): string =>
  key === undefined ? flowText(items.map(({ value }) => value)) : `${flowText(key)}: ${inBraces(rest, items)}`;

const inBraces = (path: readonly string[], items: readonly Remarked[]): string =>
  path.length === 0 ? flowOf(path, items) : `{ ${flowOf(path, items)} }`;

const put = (text: string, at: number, what: string, end = at): string => text.slice(0, at) + what + text.slice(end);

/** Whole lines behind the one that a place is in, which may end with a remark. */
function afterLine(text: string, at: number, lines: readonly string[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const found = at >= text.length ? -1 : text.indexOf('\n', at);
  const end = found === -1 ? text.length : found + 1;
  const before = text.slice(0, end);
  const isEnded = before === '' || before.endsWith('\n');
  return `${before}${isEnded ? '' : eol}${lines.join(eol)}${eol}${text.slice(end)}`;
}

/** Behind the last thing that a value says: the parser's end has remarks and empty lines in it. */
function endOf(text: string, node: Located): number {
  const last = node.kind === 'map' ? node.entries.at(-1) : undefined;
  if (last) return isNothing(last.value) ? last.keySpan.end : endOf(text, last.value);
  const item = node.kind === 'list' ? node.items.at(-1) : undefined;
  if (item) return Math.max(endOf(text, item), item.span.start);
  return node.span.start + text.slice(node.span.start, node.span.end).trimEnd().length;
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1;

const indentAt = (text: string, at: number): string => /^ */.exec(text.slice(lineStart(text, at), at))![0];

const oneLine = (text: string): string => text.replaceAll(/[\x00-\x1f\x7f\u0085\u2028\u2029\s]+/g, ' ').trim();

function plainOf(node: Located): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainOf);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]));
}

function withItems(value: unknown, [key, ...rest]: readonly string[], items: readonly Remarked[]): unknown {
  if (key === undefined) return [...((value ?? []) as unknown[]), ...items.map(item => item.value)];
  const map = (value ?? {}) as Record<string, unknown>;
  return { ...map, [key]: withItems(map[key], rest, items) };
}
