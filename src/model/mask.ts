/** Puts `***` where a text tells a secret. */
export interface Mask {
  (text: string): string;
  /** From where on a text that goes on has to wait for the rest of it, since a secret may have begun; absent: no one knows. */
  openFrom?(text: string): number;
}

/** Masks every string in a JSON value, at any depth; keys only in what someone else has made up, the others are ours. */
export const maskDeep = <T>(value: T, mask: Mask): T => maskAt(value, mask, 0, false) as T;

/** Fields of ours that hold what a hook has answered, or what an agent calls its tools with and gets from them. */
const foreign: ReadonlySet<string> = new Set(['answer', 'input', 'output', 'extra', 'response', 'toolUseResult']);

/** Deeper than this not an event Hookloop knows is, and the stack has an end. */
const maxDepth = 500;

function maskAt(value: unknown, mask: Mask, depth: number, keysToo: boolean): unknown {
  if (typeof value === 'string') return mask(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth === maxDepth) return '***';
  if (Array.isArray(value)) return value.map(item => maskAt(item, mask, depth + 1, keysToo));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      keysToo ? mask(key) : key,
      maskAt(item, mask, depth + 1, keysToo || foreign.has(key)),
    ]),
  );
}
