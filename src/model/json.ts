/** An object of JSON that someone else has written: whatever it holds is to be looked at. */
export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without fields where it is no object. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Without the fields that are not set. */
export const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;

/** What a text says in JSON; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** More than any event carries; beyond it someone has piped the wrong thing. */
export const maxPayloadBytes = 64 * 1024 * 1024;

/** No payload is nested deeper, and beyond some thousands the engine itself could not write it out again. */
export const maxJsonDepth = 500;

/** Level by level, so that the check itself cannot run out of stack. */
export function isTooDeep(value: object, maxDepth: number = maxJsonDepth): boolean {
  let level: object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap(node => Object.values(node).filter(child => typeof child === 'object' && child !== null));
  }
  return false;
}

/** A number that counts something; what is beyond this counts nothing, and a sum of it would be no number any more. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
