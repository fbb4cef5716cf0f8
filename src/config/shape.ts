/**
 * The form of a config file as data. One table per format gives the check with positions (read.ts), the types,
 * and the JSON Schema for editors (schema.ts).
 */
export type Shape =
  /** `commas`: a list with commas, in which commas alone are nothing. */
  | { type: 'text'; doc?: string; values?: readonly string[]; nonEmpty?: true; commas?: true }
  | { type: 'number'; doc?: string; min?: number; integer?: true; unit?: 'seconds' }
  | { type: 'flag'; doc?: string }
  | { type: 'json'; doc?: string }
  | { type: 'list'; doc?: string; of: Shape; nonEmpty?: true }
  | { type: 'map'; doc?: string; of: Shape }
  | { type: 'either'; doc?: string; of: readonly Shape[] }
  | RecordShape;

export interface RecordShape {
  type: 'record';
  doc?: string;
  fields: Readonly<Record<string, Shape>>;
  required: readonly string[];
  /** Keys of other programs in the same file are none of our business. */
  open?: true;
  /** A format of ours: what no one knows is a mistake. */
  closed?: true;
  /** A key whose misspelling would lose a gate: unknown keys that are near to it are mistakes. */
  vital?: string;
}

/** The value a shape describes. Fields of a record are optional unless required. */
export type ValueOf<S> = S extends { type: infer Type extends keyof Plain }
  ? Plain[Type]
  : S extends { type: 'list'; of: infer Of }
    ? ValueOf<Of>[]
    : S extends { type: 'map'; of: infer Of }
      ? Record<string, ValueOf<Of>>
      : S extends { type: 'either'; of: readonly (infer Of)[] }
        ? ValueOf<Of>
        : S extends { type: 'record'; fields: infer Fields; required: readonly (infer Required)[] }
          ? { [K in keyof Fields as K extends Required ? K : never]: ValueOf<Fields[K]> } & {
              [K in keyof Fields as K extends Required ? never : K]?: ValueOf<Fields[K]>;
            }
          : never;

interface Plain {
  text: string;
  number: number;
  flag: boolean;
  json: unknown;
}

/** Its type is one and no union: unions of unions would make the types of files too long to be declared. */
const docOf = (doc: string | undefined): { doc?: string } => (doc === undefined ? {} : { doc });

export const text = (doc?: string) => ({ type: 'text', ...docOf(doc) }) as const;
export const filled = (doc?: string) => ({ ...text(doc), nonEmpty: true }) as const;
export const oneOf = <const Values extends readonly string[]>(values: Values, doc?: string) =>
  ({ ...text(doc), values }) as const;
export const seconds = (doc?: string) => ({ type: 'number', unit: 'seconds', ...docOf(doc) }) as const;
export const count = (doc?: string) => ({ type: 'number', integer: true, min: 0, ...docOf(doc) }) as const;
export const flag = (doc?: string) => ({ type: 'flag', ...docOf(doc) }) as const;
export const json = (doc?: string) => ({ type: 'json', ...docOf(doc) }) as const;
export const list = <const Of extends Shape>(of: Of, doc?: string) => ({ type: 'list', of, ...docOf(doc) }) as const;
export const map = <const Of extends Shape>(of: Of, doc?: string) => ({ type: 'map', of, ...docOf(doc) }) as const;
export const either = <const Of extends readonly Shape[]>(of: Of, doc?: string) =>
  ({ type: 'either', of, ...docOf(doc) }) as const;
export const record = <
  const Fields extends Readonly<Record<string, Shape>>,
  const Required extends readonly (keyof Fields & string)[] = readonly [],
>(
  fields: Fields,
  options: { required?: Required; doc?: string; open?: true; closed?: true; vital?: keyof Fields & string } = {},
) =>
  ({
    type: 'record',
    fields,
    required: (options.required ?? []) as Required,
    ...docOf(options.doc),
    ...(options.open && { open: true as const }),
    ...(options.closed && { closed: true as const }),
    ...(options.vital !== undefined && { vital: options.vital }),
  }) as const;
