import type { ControlReply, ControlRequest } from '../../model/control.ts';
import type { Task } from '../../model/record.ts';

/** One JSON object a line: `{"id","request","from"?}` one way, `{"id","reply"}` the other. */
export const maxRequestBytes = 1024 * 1024;

/** A list of tasks may be long. */
export const maxReplyBytes = 64 * 1024 * 1024;

export type RequestId = string | number;

export type ReadRequest =
  | { kind: 'request'; id: RequestId; request: ControlRequest; from?: string }
  | { kind: 'refused'; id: RequestId; reason: string }
  /** No answer could be matched: whoever sends this speaks something else. */
  | { kind: 'hopeless'; reason: string };

export function readRequest(line: Buffer): ReadRequest {
  const message = parse(line);
  if (!isObject(message)) return { kind: 'hopeless', reason: 'a request is one JSON object in UTF-8 a line' };
  const { id, request, from, ...rest } = message;
  if (!isRequestId(id)) return { kind: 'hopeless', reason: 'a request has an id, a text or a whole number' };
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) return { kind: 'refused', id, reason: `unknown field ${JSON.stringify(unknown)}` };
  if (from !== undefined && typeof from !== 'string') return { kind: 'refused', id, reason: 'from is a text' };
  const checked = checkRequest(request);
  return checked.kind === 'good'
    ? { kind: 'request', id, request: checked.request, ...(from !== undefined && { from }) }
    : { kind: 'refused', id, reason: checked.reason };
}

export const writeRequest = (id: RequestId, request: ControlRequest, from?: string): string =>
  `${JSON.stringify({ id, request, from })}\n`;

/** The reply to one request; null answers a line that had no id. */
export function readReply(line: Buffer, id: RequestId): ControlReply | undefined {
  const message = parse(line);
  if (!isObject(message) || (message['id'] !== id && message['id'] !== null)) return undefined;
  const { reply } = message;
  if (!isObject(reply)) return undefined;
  if (reply['kind'] === 'ok') return { kind: 'ok', value: reply['value'] };
  return reply['kind'] === 'refused' && typeof reply['reason'] === 'string'
    ? { kind: 'refused', reason: reply['reason'] }
    : undefined;
}

export const writeReply = (id: RequestId | null, reply: ControlReply): string => `${JSON.stringify({ id, reply })}\n`;

const isRequestId = (id: unknown): id is RequestId =>
  Number.isSafeInteger(id) || (typeof id === 'string' && id.length > 0 && id.length <= 128);

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(line));
  } catch {
    return undefined;
  }
}

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

export interface LineTaker {
  line(bytes: Buffer): void;
  /** Told once; nothing follows. */
  tooLong(): void;
}

const newline = 0x0a;

/** Cuts a stream into lines and keeps at most one of them in memory. */
export function createLineReader(maxBytes: number, taker: LineTaker): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const keep = (part: Buffer): boolean => {
    size += part.length;
    if (size > maxBytes) {
      [parts, isOver] = [[], true];
      taker.tooLong();
      return false;
    }
    parts.push(part);
    return true;
  };
  return chunk => {
    let rest = chunk;
    while (!isOver) {
      const end = rest.indexOf(newline);
      if (!keep(end === -1 ? rest : rest.subarray(0, end)) || end === -1) return;
      const line = Buffer.concat(parts);
      [parts, size] = [[], 0];
      rest = rest.subarray(end + 1);
      taker.line(line);
    }
  };
}
