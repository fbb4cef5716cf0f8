import { resolve } from 'node:path';
import type { EventName } from '../model/index.ts';
import { type Fields, isObject, isTooDeep, jsonOf, maxJsonDepth, maxPayloadBytes } from '../model/json.ts';
import { readRegularFile } from '../platform/files.ts';
import { type Dispatched, type FireContext, type FireRequest, fireEvent } from './dispatch-event.ts';
import { describedEvent, eventsNamed, type FieldsFlaw, fieldsOfEvents, typeOfField } from './event-fields.ts';

export type Tried =
  | Dispatched
  /** `fields`: those that the event has, where one was named that it has not. */
  | { kind: 'bad-words'; flaws: readonly FieldsFlaw[]; fields?: { event: string; names: readonly string[] } };

/** Fires an event that a person describes in `key=value` words. No one is asked. */
export async function tryEvent(
  spelling: string,
  words: readonly string[],
  request: Omit<FireRequest, 'asksNoOne'>,
  context: FireContext,
): Promise<Tried> {
  const events = eventsNamed(spelling);
  if ('message' in events) return { kind: 'bad-words', flaws: [events] };
  const read = readWords(events, words, context.cwd);
  if (read.kind === 'bad') return { kind: 'bad-words', flaws: [read.flaw] };
  const described = describedEvent(events, read.fields);
  if (described.kind === 'event') return fireEvent(described.event, { ...request, asksNoOne: true }, context);
  return {
    ...{ kind: 'bad-words', flaws: described.flaws },
    fields: { event: events.join(' or '), names: fieldsOfEvents(events) },
  };
}

type Words = { kind: 'fields'; fields: Fields } | { kind: 'bad'; flaw: FieldsFlaw };

function readWords(events: readonly EventName[], words: readonly string[], cwd: string): Words {
  const fields: Record<string, unknown> = Object.create(null);
  for (const word of words) {
    const end = word.indexOf('=');
    if (word.startsWith('@')) {
      const whole = readJsonFile(word.slice(1), cwd);
      if (whole.kind === 'bad') return whole;
      if (!isObject(whole.value)) return bad(`${word}: must hold a JSON object, as in {"tool": "Bash"}`);
      Object.assign(fields, whole.value);
    } else if (end < 1) {
      return bad(`"${word}" is not key=value`, 'write it as in tool=Bash, or @FILE for a payload in JSON');
    } else {
      const key = word.slice(0, end);
      const value = readValue(events, key, word.slice(end + 1), cwd);
      if (value.kind === 'bad') return value;
      const before = fields[key];
      // Lists are given one value at a time.
      if (before !== undefined && !Array.isArray(before)) return bad(`${key} is given twice`);
      fields[key] = Array.isArray(before) ? [...before, ...[value.value].flat()] : value.value;
    }
  }
  return { kind: 'fields', fields };
}

const bad = (message: string, hint?: string): { kind: 'bad'; flaw: FieldsFlaw } => ({
  kind: 'bad',
  flaw: { message, ...(hint !== undefined && { hint }) },
});

type Value = { kind: 'value'; value: unknown } | ReturnType<typeof bad>;

/** The text as the field wants it; what does not fit stays a text, and the event says what it must be. */
function readValue(events: readonly EventName[], key: string, text: string, cwd: string): Value {
  const value = (read: unknown): Value => ({ kind: 'value', value: read });
  switch (typeOfField(events, key)) {
    case 'text':
      return value(text);
    case 'number':
    case 'count':
      return value(text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text));
    case 'flag':
      return value({ true: true, false: false, yes: true, no: false }[text] ?? text);
    case 'lines':
      return text.startsWith('@') ? readJsonFile(text.slice(1), cwd) : value(text.split('\n'));
    case 'json': {
      if (text.startsWith('@')) return readJsonFile(text.slice(1), cwd);
      const json = jsonOf(text);
      if (json === undefined && /^\s*[[{]/.test(text)) return bad(`${key}: is not valid JSON: ${text.slice(0, 60)}`);
      return value(json ?? text);
    }
  }
}

function readJsonFile(path: string, cwd: string): Value {
  const read = readRegularFile(resolve(cwd, path), maxPayloadBytes);
  if (read.kind === 'absent') return bad(`${path}: there is no such file`);
  if (read.kind === 'unreadable') return bad(`${path}: ${read.reason}`);
  const value = jsonOf(read.bytes.toString('utf8'));
  if (value === undefined) return bad(`${path}: is not valid JSON`);
  if (typeof value === 'object' && value !== null && isTooDeep(value))
    return bad(`${path}: is nested deeper than ${maxJsonDepth}`);
  return { kind: 'value', value };
}
