import type { Value, Values } from './values.ts';

const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Puts values in place of `${NAME}`. What stands in a value is not looked at again. */
export const fillText = (template: string, values: Values, write: WriteValue = asItIs): string =>
  template.replace(placeholder, (whole, name: string, at: number) => write(values.of(name), { name, at, whole }));

/** `whole` is the placeholder with its braces, `at` where it stands in the template. */
export type WriteValue = (value: Value, place: { name: string; at: number; whole: string }) => string;

const asItIs: WriteValue = ({ text }) => text;

/** Half a surrogate pair would make encodeURIComponent throw; through bytes it becomes a replacement character. */
export const percentEncoded: WriteValue = ({ text }) => encodeURIComponent(Buffer.from(text).toString());

const maxDepth = 500;

/** Fills in every string of a JSON value; keys stay as they are. Undefined if it is nested too deep. */
export function fillJson(value: unknown, values: Values): unknown {
  let isTooDeep = false;
  const fillAt = (item: unknown, depth: number): unknown => {
    if (typeof item === 'string') return fillText(item, values);
    if (item === null || typeof item !== 'object') return item;
    isTooDeep ||= depth === maxDepth;
    if (isTooDeep) return null;
    if (Array.isArray(item)) return item.map(part => fillAt(part, depth + 1));
    return Object.fromEntries(Object.entries(item).map(([key, part]) => [key, fillAt(part, depth + 1)]));
  };
  const filled = fillAt(value, 0);
  return isTooDeep ? undefined : filled;
}
