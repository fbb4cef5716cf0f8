import type { Located } from './located.ts';
import type { Report } from './report.ts';

/**
 * The form of a config file as data. One table per format gives the check with positions (read.ts), the types,
 * and the JSON Schema for editors (schema.ts).
 */
export type Shape =
  /** `commas`: a list with commas, in which commas alone are nothing. `like`: what its record's `check` asks of it, for the JSON Schema. */
  | { type: 'text'; doc?: string; values?: readonly string[]; nonEmpty?: true; commas?: true; like?: string }
  | { type: 'number'; doc?: string; min?: number; max?: number; integer?: true; unit?: 'seconds' }
  /** Seconds, or a text such as `500ms`, `30s`, `2m`, `1h`; its value is in seconds. */
  | { type: 'duration'; doc?: string }
  | { type: 'flag'; doc?: string }
  | { type: 'json'; doc?: string }
  | { type: 'list'; doc?: string; of: Shape; nonEmpty?: true }
  | { type: 'map'; doc?: string; of: Shape; names?: string }
  | { type: 'either'; doc?: string; of: readonly Shape[] }
  | ({ type: 'entries'; doc?: string; of: Shape } & PartsOptions)
  | VariantShape
  | RecordShape;

/** Of lists and records whose parts stand for themselves: a wrong one is told and left out. */
interface PartsOptions {
  /** Whether what is wrong with a part refuses, judged by that part alone and without trusting any of it. */
  refuses?(part: Located): boolean;
  /** A key that was left with nothing behind it has no parts. */
  orNothing?: true;
}

/** One of a list of entries, with its place. */
export interface Entry<Value> {
  value: Value;
  node: Located;
  /** Among all entries of its list, the wrong ones too. */
  index: number;
  report: Report;
}

/** One of several records; its key `type`, of which `doc` tells, says which. */
export interface VariantShape {
  type: 'variant';
  doc?: string;
  of: Readonly<Record<string, RecordShape>>;
  /** Records without `type`: which it is, this key of theirs says. */
  keyed?: Readonly<Record<string, RecordShape>>;
  /** A text stands for the keyed record that has nothing but this key. */
  asText?: string;
  /** What one of them is called. Then its author is told which type its fields speak for. */
  noun?: string;
}

export interface RecordShape extends PartsOptions {
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
  /** Its fields stand for themselves, and this is what messages call one of them. */
  each?: string;
  /** Keys that have a meaning elsewhere, and why they have none here. */
  misplaced?: Readonly<Record<string, { message: string; hint: string }>>;
  /** Fields that contradict each other; null: whatever its value is. It is told at the last one. */
  conflicts?: readonly Conflict[];
  /** What is wrong with fields whose form is right; others are left out, required ones too. */
  check?(value: never): Iterable<FieldFlaw>;
}

export interface Conflict {
  fields: Readonly<Record<string, string | boolean | null>>;
  message: string;
  hint: string;
}

/** `offset` and `length` name a part of a text. A warning is told, and the value counts. */
export interface FieldFlaw {
  field: string;
  message: string;
  hint?: string;
  offset?: number;
  length?: number;
  isWarning?: true;
}

/** The value a shape describes. Fields of a record are optional unless required. */
export type ValueOf<S> = S extends { type: 'text'; values: readonly (infer Value)[] }
  ? Value
  : S extends { type: infer Type extends keyof Plain }
    ? Plain[Type]
    : S extends { type: 'list'; of: infer Of }
      ? ValueOf<Of>[]
      : S extends { type: 'entries'; of: infer Of }
        ? Entry<ValueOf<Of>>[]
        : S extends { type: 'variant'; of: infer Of }
          ? { [Type in keyof Of]: ValueOf<Of[Type]> & { type: Type } }[keyof Of]
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
  duration: number;
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
export const duration = (doc?: string) => ({ type: 'duration', ...docOf(doc) }) as const;
export const count = (doc?: string) => ({ type: 'number', integer: true, min: 0, ...docOf(doc) }) as const;
export const flag = (doc?: string) => ({ type: 'flag', ...docOf(doc) }) as const;
export const json = (doc?: string) => ({ type: 'json', ...docOf(doc) }) as const;
export const list = <const Of extends Shape>(of: Of, doc?: string) => ({ type: 'list', of, ...docOf(doc) }) as const;
export const entries = <const Of extends Shape>(of: Of, doc?: string, options: PartsOptions = {}) =>
  ({ type: 'entries', of, ...docOf(doc), ...options }) as const;
export const variant = <const Of extends VariantShape['of']>(of: Of, options: Omit<VariantShape, 'type' | 'of'>) =>
  ({ type: 'variant', of, ...options }) as const;
export const map = <const Of extends Shape>(of: Of, doc?: string) => ({ type: 'map', of, ...docOf(doc) }) as const;
export const either = <const Of extends readonly Shape[]>(of: Of, doc?: string) =>
  ({ type: 'either', of, ...docOf(doc) }) as const;
export const record = <
  const Fields extends Readonly<Record<string, Shape>>,
  const Required extends readonly (keyof Fields & string)[] = readonly [],
>(
  fields: Fields,
  { required, ...options }: Omit<RecordShape, 'type' | 'fields' | 'required'> & { required?: Required } = {},
) => ({ type: 'record', fields, required: (required ?? []) as Required, ...options }) as const;
