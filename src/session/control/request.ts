import type { ControlRequest } from '../../model/control.ts';

export type Method = ControlRequest['method'];

/** What a field of a request holds. */
export type FieldRule = { optional?: true } & (
  | { holds: 'text' | 'number' | 'texts' }
  | { holds: 'choice'; of: readonly string[] }
);

type Fields<M extends Method> = {
  readonly [F in Exclude<keyof Extract<ControlRequest, { method: M }>, 'method'>]-?: FieldRule;
};

const text = { holds: 'text' } as const;
const maybeText = { holds: 'text', optional: true } as const;
const maybeNumber = { holds: 'number', optional: true } as const;

/** Every request and its fields. */
export const requestFields: { readonly [M in Method]: Fields<M> } = {
  'task.add': { content: text },
  'task.list': {},
  'task.start': { id: text },
  'task.done': { id: text, summary: maybeText },
  'task.drop': { id: text, reason: maybeText },
  'task.post': { id: text, status: { holds: 'choice', of: ['ok', 'error'] }, value: maybeText, error: maybeText },
  score: { score: { holds: 'number' }, target: maybeNumber },
  approval: { question: text, title: maybeText, files: { holds: 'texts', optional: true } },
  host: { agent: text, event: maybeText, input: { holds: 'text', optional: true } },
  finish: {
    decision: { holds: 'choice', of: ['continue', 'stop', 'error'] },
    reason: maybeText,
    summary: maybeText,
  },
};

export type Checked = { kind: 'good'; request: ControlRequest } | { kind: 'bad'; reason: string };

/** Strict: what is not known is not passed on. */
export function checkRequest(value: unknown): Checked {
  if (!isObject(value)) return bad('a request is a JSON object');
  const { method, ...given } = value;
  if (typeof method !== 'string' || !Object.hasOwn(requestFields, method))
    return bad(`unknown method ${shown(method)}: it is one of ${Object.keys(requestFields).join(', ')}`);
  const fields: Readonly<Record<string, FieldRule>> = requestFields[method as Method];
  const names = Object.keys(fields);
  const unknown = Object.keys(given).find(name => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    return bad(
      `unknown field ${shown(unknown)}: ${names.length === 0 ? 'there are none' : `known: ${names.join(', ')}`}`,
    );
  for (const [name, rule] of Object.entries(fields)) {
    const reason = flawOf(name, given[name], rule);
    if (reason !== undefined) return bad(reason);
  }
  return { kind: 'good', request: value as ControlRequest };
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function flawOf(name: string, value: unknown, rule: FieldRule): string | undefined {
  if (value === undefined) return rule.optional ? undefined : `${name} is missing`;
  if (rule.holds === 'choice')
    return rule.of.includes(value as string)
      ? undefined
      : `${name} is one of ${rule.of.join(', ')}, not ${shown(value)}`;
  if (rule.holds === 'texts')
    return Array.isArray(value) && value.every(item => typeof item === 'string')
      ? undefined
      : `${name} is a list of texts, not ${shown(value)}`;
  if (rule.holds === 'number')
    return typeof value === 'number' && Number.isFinite(value) ? undefined : `${name} is a number, not ${shown(value)}`;
  if (typeof value !== 'string') return `${name} is a text, not ${shown(value)}`;
  return rule.optional || value.trim() !== '' ? undefined : `${name} is empty`;
}

const bad = (reason: string): Checked => ({ kind: 'bad', reason });

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > 60 ? `${json.slice(0, 60)}...` : json;
}
