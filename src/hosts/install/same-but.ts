import { parseJsonc } from '../../config/json.ts';
import type { Located } from '../../config/located.ts';
import { marksOwn } from '../own-entry.ts';

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
