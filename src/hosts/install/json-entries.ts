import { parseJsonc } from '../../config/json.ts';
import { insertChild, removeChild } from '../../config/json-text.ts';
import { childOf, type Flaw, itemsOf, type Located } from '../../config/located.ts';
import { marksOwn } from '../../model/own-entry.ts';
import { plainOf } from '../settings-files.ts';

export type Edit = { kind: 'text'; text: string } | { kind: 'flaw'; flaw: Flaw };

/** An entry for each event, under `hooks`; `header` holds the keys that the file needs besides. */
export function addEntries(
  text: string,
  header: Readonly<Record<string, unknown>>,
  entries: readonly (readonly [native: string, entry: unknown])[],
): Edit {
  const start = text.trim() === '' ? '{}' : text;
  let edit: Edit = { kind: 'text', text: start };
  const wanted: readonly Wanted[] = [
    ...Object.entries(header).map(([key, value]) => ({ path: [key], value, isItem: false })),
    ...entries.map(([native, entry]) => ({ path: ['hooks', native], value: entry, isItem: true })),
  ];
  for (const next of wanted) if (edit.kind === 'text') edit = put(edit.text, next);
  return edit.kind === 'text' && start !== text ? { kind: 'text', text: `${edit.text}\n` } : edit;
}

/** Without the entries of ours, and without what is empty then. Other things stay as they stand. */
export function removeEntries(text: string): Edit {
  for (let current = text; ; ) {
    const root = rootOf(current);
    if (root.kind === 'flaw') return root;
    const next = root.node && removeOne(current, root.node);
    if (next === undefined) return { kind: 'text', text: current };
    current = next;
  }
}

/** The entries of ours with their events, a line each, in whatever order they stand in the file. */
export function ownEntries(text: string): string {
  const root = rootOf(text);
  const hooks = root.kind === 'root' ? childOf(root.node, 'hooks') : undefined;
  const own = (hooks?.kind === 'map' ? hooks.entries : []).flatMap(({ key, value }) =>
    itemsOf(value)
      .filter(hasOwn)
      .map(item => `${key} ${JSON.stringify(plainOf(item))}`),
  );
  return own.sort().join('\n');
}

type Root = { kind: 'root'; node: Located | undefined } | { kind: 'flaw'; flaw: Flaw };

function rootOf(text: string): Root {
  const parsed = parseJsonc(text);
  return parsed.kind === 'broken' ? { kind: 'flaw', flaw: parsed.flaws[0]! } : { kind: 'root', node: parsed.root };
}

interface Wanted {
  path: readonly string[];
  value: unknown;
  /** It goes behind what stands in the list at the path; else it is there only where nothing is. */
  isItem: boolean;
}

function put(text: string, { path, value, isItem }: Wanted): Edit {
  const root = rootOf(text);
  if (root.kind === 'flaw') return root;
  let node = root.node!;
  for (const [depth, key] of path.entries()) {
    if (node.kind !== 'map') return mistyped(node, depth === 0 ? 'the file' : `"${path[depth - 1]}"`, 'an object');
    const child = childOf(node, key);
    if (!child) {
      const last = isItem ? [value] : value;
      const missing = path.slice(depth + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), last);
      return { kind: 'text', text: insertChild(text, node, missing, key) };
    }
    node = child;
  }
  if (!isItem) return { kind: 'text', text };
  if (node.kind !== 'list') return mistyped(node, `"${path.at(-1)}"`, 'a list');
  return { kind: 'text', text: insertChild(text, node, value) };
}

const mistyped = ({ span }: Located, what: string, wanted: string): Edit => ({
  kind: 'flaw',
  flaw: { message: `${what} must be ${wanted} to hold hooks`, span },
});

/** Takes out one entry of ours and what it leaves empty; undefined if there is none. */
function removeOne(text: string, root: Located): string | undefined {
  const hooks = childOf(root, 'hooks');
  if (root.kind !== 'map' || hooks?.kind !== 'map') return undefined;
  for (const [at, { value }] of hooks.entries.entries()) {
    const index = itemsOf(value).findIndex(hasOwn);
    if (index === -1) continue;
    const item = itemsOf(value)[index]!;
    const inner = childOf(item, 'hooks');
    if (itemsOf(inner).length > 1) return removeChild(text, inner!, itemsOf(inner).findIndex(isOwn));
    if (itemsOf(value).length > 1) return removeChild(text, value, index);
    if (hooks.entries.length > 1) return removeChild(text, hooks, at);
    const whole = root.entries.findIndex(entry => entry.value === hooks);
    return removeChild(text, root, whole);
  }
  return undefined;
}

const hasOwn = (item: Located): boolean => isOwn(item) || itemsOf(childOf(item, 'hooks')).some(isOwn);

const isOwn = (entry: Located): boolean =>
  entry.kind === 'map' && entry.entries.some(({ key, value }) => value.kind === 'scalar' && marksOwn(key, value.value));

/** Whether two texts say the same but for entries of ours, and what is empty without them. */
export function isSameBut(before: string, after: string): boolean {
  const [a, b] = [meaning(before), meaning(after)];
  return a !== undefined && a === b;
}

/** Undefined for a text that cannot be read. */
function meaning(text: string): string | undefined {
  const root = rootOf(text);
  if (root.kind === 'flaw') return undefined;
  const { version: _, ...rest } = ((root.node && strip(plainOf(root.node), 0)) as Record<string, unknown>) ?? {};
  return JSON.stringify(rest);
}

const nothing = Symbol('nothing');

/** Our entries are taken out, then containers near them that hold nothing. */
function strip(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const children = Object.entries(value).map(([key, child]) => [key, strip(child, depth + 1)] as const);
  if (children.some(([key, child]) => marksOwn(key, child))) return nothing;
  const kept = children.filter(([, child]) => child !== nothing);
  if (kept.length === 0 && depth > 0 && depth < 6) return nothing;
  return Array.isArray(value) ? kept.map(([, child]) => child) : Object.fromEntries(kept);
}
