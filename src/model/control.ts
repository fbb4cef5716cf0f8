import { isObject } from './json.ts';
import type { Task } from './record.ts';

/** What programs beside the loop may ask a running session: the agent's tools, and the commands of a person. */
export type ControlRequest =
  | { method: 'task.add'; content: string }
  | { method: 'task.list' }
  | { method: 'task.start'; id: string }
  | { method: 'task.done'; id: string; summary?: string }
  | { method: 'task.drop'; id: string; reason?: string }
  /** A hook has done the task itself, or could not. `value` is JSON. */
  | { method: 'task.post'; id: string; status: 'ok' | 'error'; value?: string; error?: string }
  | { method: 'score'; score: number; target?: number }
  | { method: 'approval'; question: string; title?: string; files?: readonly string[] }
  /** A call of the agent's own hook system, as it came. */
  | { method: 'host'; agent: string; event?: string; input: string }
  /** Resumable. `after`: when the turn or the task at hand is over; default: now. */
  | { method: 'stop'; after?: StopAfter }
  | { method: 'finish'; decision: 'continue' | 'stop' | 'error'; reason?: string; summary?: string };

export type StopAfter = 'now' | 'turn' | 'task';

/** `refused`: hooks said no, or it cannot be; the reason is for whoever asked. */
export type ControlReply = { kind: 'ok'; value: unknown } | { kind: 'refused'; reason: string };

/**
 * Contract: never rejects. The signal is aborted when whoever asked has gone. `from` is the key of the hook's run in which
 * it is asked, where it is one.
 */
export type AnswerControl = (request: ControlRequest, signal: AbortSignal, from?: string) => Promise<ControlReply>;

/** Tells a hook's process, and what it starts, the key of its run. */
export const hookVariable = 'HOOKLOOP_HOOK';

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
  stop: { after: { holds: 'choice', of: ['now', 'turn', 'task'], optional: true } },
  finish: {
    decision: { holds: 'choice', of: ['continue', 'stop', 'error'] },
    reason: maybeText,
    summary: maybeText,
  },
};

type Checked = { kind: 'good'; request: ControlRequest } | { kind: 'bad'; reason: string };

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

/** What `ok` carries, for those requests whose answer someone reads. */
export interface ControlValues {
  'task.add': Pick<Task, 'id'>;
  'task.list': readonly Task[];
  approval: { approved: boolean; message?: string; by?: string; at?: string };
}

export const readId = (value: unknown): string | undefined =>
  isObject(value) && typeof value['id'] === 'string' ? value['id'] : undefined;

export const readTasks = (value: unknown): readonly Task[] | undefined =>
  Array.isArray(value) && value.every(isTask) ? value : undefined;

export function readApproval(value: unknown): ControlValues['approval'] | undefined {
  if (!isObject(value) || typeof value['approved'] !== 'boolean') return undefined;
  const { approved, message, by, at } = value;
  return {
    approved,
    ...(typeof message === 'string' && message !== '' && { message }),
    ...(typeof by === 'string' && { by }),
    ...(typeof at === 'string' && { at }),
  };
}

const isTask = (value: unknown): value is Task =>
  isObject(value) && ['id', 'content', 'status'].every(name => typeof value[name] === 'string');
