type Type = 'string' | 'number' | 'object';

/** Something a value read from a file must hold. */
export interface Field {
  path: readonly string[];
  type: Type;
  optional: boolean;
}

/** `path:type`, with `?` where it may be missing. */
export const fieldsOf = (...fields: readonly string[]): Field[] =>
  fields.map(text => {
    const [path, type] = text.split(':') as [string, string];
    return { path: path.split('.'), type: type.replace('?', '') as Type, optional: type.endsWith('?') };
  });

export const holdsAll = (value: unknown, fields: readonly Field[]): boolean =>
  fields.every(field => holds(value, field));

function holds(value: unknown, { path, type, optional }: Field): boolean {
  let found = value;
  for (const name of path) {
    if (found === undefined || found === null) break;
    found = Object.hasOwn(found, name) ? (found as Record<string, unknown>)[name] : undefined;
  }
  if (found === undefined || found === null) return optional && found === undefined;
  return typeof found === type;
}

/** The entry of a table under a foreign name; what every object inherits does not count. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;
