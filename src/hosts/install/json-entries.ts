import { parseJsonc } from '../../config/json.ts';
import { childOf, type Flaw, itemsOf, type Located } from '../../config/located.ts';
import { marksOwn } from '../../model/own-entry.ts';
import { plainOf } from '../settings-files.ts';
import { childText, containerOf, insertChild, removeChild } from './json-text.ts';

export type Edit = { kind: 'text'; text: string } | { kind: 'flaw'; flaw: Flaw };

/** An entry for each event, under `hooks`; `header` holds the keys that the file needs besides. */
export function addEntries(
  text: string,
  header: Readonly<Record<string, unknown>>,
  entries: readonly (readonly [native: string, entry: unknown])[],
): Edit {
  const start = text.trim() === '' ? '{}' : text;
  const steps = [
    ...Object.entries(header).map(
      ([key, value]) =>
        (current: string) =>
          setDefault(current, key, value),
    ),
    ...entries.map(
      ([native, entry]) =>
        (current: string) =>
          append(current, ['hooks', native], entry),
    ),
  ];
  const edit = steps.reduce<Edit>((done, step) => (done.kind === 'text' ? step(done.text) : done), {
    kind: 'text',
    text: start,
  });
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

/** The entries of ours, by event, as they stand in the file. */
export function ownEntries(text: string): readonly (readonly [native: string, text: string])[] {
  const root = rootOf(text);
  const hooks = root.kind === 'root' ? childOf(root.node, 'hooks') : undefined;
  return (hooks?.kind === 'map' ? hooks.entries : []).flatMap(({ key, value }) =>
    itemsOf(value)
      .filter(hasOwn)
      .map(item => [key, JSON.stringify(plainOf(item))] as const),
  );
}

type Root = { kind: 'root'; node: Located | undefined } | { kind: 'flaw'; flaw: Flaw };

function rootOf(text: string): Root {
  const parsed = parseJsonc(text);
  return parsed.kind === 'broken' ? { kind: 'flaw', flaw: parsed.flaws[0]! } : { kind: 'root', node: parsed.root };
}

function setDefault(text: string, key: string, value: unknown): Edit {
  const root = rootOf(text);
  if (root.kind === 'flaw') return root;
  if (childOf(root.node, key)) return { kind: 'text', text };
  return insert(text, root.node!, value, key);
}

function append(text: string, path: readonly string[], item: unknown): Edit {
  const root = rootOf(text);
  if (root.kind === 'flaw') return root;
  let node = root.node!;
  for (const [depth, key] of path.entries()) {
    if (node.kind !== 'map') return mistyped(node, depth === 0 ? 'the file' : `"${path[depth - 1]}"`, 'an object');
    const child = childOf(node, key);
    const missing = path.slice(depth + 1).reduceRight<unknown>((value, name) => ({ [name]: value }), [item]);
    if (!child) return insert(text, node, missing, key);
    node = child;
  }
  return node.kind === 'list' ? insert(text, node, item) : mistyped(node, `"${path.at(-1)}"`, 'a list');
}

function insert(text: string, node: Located, value: unknown, key?: string): Edit {
  const container = containerOf(node);
  if (!container || (key !== undefined && node.kind !== 'map')) return mistyped(node, 'the file', 'an object');
  return { kind: 'text', text: insertChild(text, container, childText(value, key)) };
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
    if (itemsOf(inner).length > 1) return removeChild(text, containerOf(inner!)!, itemsOf(inner).findIndex(isOwn));
    if (itemsOf(value).length > 1) return removeChild(text, containerOf(value)!, index);
    if (hooks.entries.length > 1) return removeChild(text, containerOf(hooks)!, at);
    return removeChild(
      text,
      containerOf(root)!,
      root.entries.findIndex(entry => entry.value === hooks),
    );
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
  const parsed = parseJsonc(text);
  if (parsed.kind === 'broken') return undefined;
  const { version: _, ...rest } = ((parsed.root && strip(parsed.root, 0)) as Record<string, unknown>) ?? {};
  return JSON.stringify(rest);
}

const nothing = Symbol('nothing');

/** Our entries are taken out, then containers near them that hold nothing. */
function strip(node: Located, depth: number): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') {
    const items = node.items.map(item => strip(item, depth + 1)).filter(item => item !== nothing);
    return items.length === 0 && depth > 0 && depth < 6 ? nothing : items;
  }
  const entries = node.entries.map(({ key, value }) => [key, strip(value, depth + 1)] as const);
  if (entries.some(([key, value]) => marksOwn(key, value))) return nothing;
  const kept = entries.filter(([, value]) => value !== nothing);
  return kept.length === 0 && depth > 0 && depth < 6 ? nothing : Object.fromEntries(kept);
}
