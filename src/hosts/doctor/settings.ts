import { parseJsonc } from '../../config/json.ts';
import type { Located } from '../../config/located.ts';
import { parseToml } from '../../config/toml.ts';
import { readFile } from '../install/read-file.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What a settings file says; empty where it is missing or nobody can read it. */
export function readSettings(file: string): Fields {
  const found = readFile(file, undefined);
  if (found.kind !== 'text') return {};
  const parsed = (file.endsWith('.toml') ? parseToml : parseJsonc)(found.text.replace(/^\ufeff/, ''));
  return parsed.kind === 'parsed' && parsed.root ? fieldsOf(plainOf(parsed.root)) : {};
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** The value at a path of keys. */
export const valueAt = (fields: Fields, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (Object.hasOwn(fieldsOf(value), key) ? fieldsOf(value)[key] : undefined),
    fields,
  );

/** Only the values at these paths. */
export function picked(fields: Fields, paths: readonly (readonly string[])[]): Fields {
  let kept: Fields = {};
  for (const path of paths) {
    const value = valueAt(fields, path);
    if (value !== undefined) kept = merged(kept, fieldsOf(path.reduceRight((inner, key) => ({ [key]: inner }), value)));
  }
  return kept;
}

/** The second on top of the first, objects inside of each other. */
export function merged(below: Fields, above: Fields): Fields {
  const both = Object.entries(above).map(([key, value]) => {
    const isObject = Object.keys(fieldsOf(value)).length > 0;
    return [key, isObject ? merged(fieldsOf(below[key]), fieldsOf(value)) : value] as const;
  });
  return { ...below, ...Object.fromEntries(both) };
}

function plainOf(node: Located): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plainOf);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]));
}
