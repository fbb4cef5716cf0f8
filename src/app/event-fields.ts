import { allSpellings, eventsSpelled, pickEvent } from '../dialects/wires.ts';
import {
  coversEvent,
  type EventFields,
  type EventName,
  type FieldRule,
  fieldRules,
  type HookEvent,
  toEvent,
} from '../model/index.ts';
import { type Fields, isObject } from '../model/json.ts';
import { didYouMean } from '../model/nearest.ts';

/** What people call the fields that they most often give, and where each stands in what a tool is called with. */
export const shortcuts: Readonly<Record<string, string>> = { command: 'command', file: 'file_path' };

/** No fields of ours, but Claude's matchers look at them. */
export const matchedFields: Readonly<Record<string, readonly string[]>> = {
  source: ['session.starting'],
  reason: ['session.'],
};

/** What is wrong with one field; without a name, with all of them. */
export interface FieldsFlaw {
  key?: string;
  message: string;
  hint?: string;
}

export type FieldsReading = { kind: 'event'; event: HookEvent } | { kind: 'bad'; flaws: readonly FieldsFlaw[] };

/** The events that a name stands for, or why there is none. */
export function eventsNamed(spelling: string): readonly EventName[] | FieldsFlaw {
  const events = eventsSpelled(spelling);
  const hint = didYouMean(spelling, allSpellings()) ?? 'hookloop events lists them all';
  return events ?? { message: `unknown event ${spelling}`, hint };
}

/** An event as people describe it: a field that no one knows is a mistake. */
export function describedEvent(events: readonly EventName[], fields: Fields): FieldsReading {
  const unknown = unknownFields(events, fields);
  if (unknown.length > 0) return { kind: 'bad', flaws: unknown };
  const written = payloadOf(events, fields);
  if (written.kind === 'bad') return written;
  const { payload } = written;
  // Of an end that may be good or bad, a field of one of them tells which it is.
  const fitting = events.filter(event => Object.keys(fields).every(key => isField(event, key)));
  const name = pickEvent(fitting.length > 0 ? fitting : events, payload);
  const reading = toEvent(name, payload, () => new Date().toISOString());
  if (reading.kind === 'event') return reading;
  return { kind: 'bad', flaws: reading.flaws.map(message => ({ key: keyIn(message), message })) };
}

const keyIn = (message: string): string => /^"(.*)" must be/s.exec(message)?.[1] ?? '';

/** Fields that mean nothing in the event under any of its names. */
export function unknownFields(events: readonly EventName[], fields: Fields): FieldsFlaw[] {
  const names = fieldsOfEvents(events);
  return Object.keys(fields)
    .filter(key => !events.some(event => isField(event, key)))
    .map(key => ({
      key,
      message: `"${key}" is not a field of ${events.join(' or ')}`,
      hint: didYouMean(key, names) ?? `its fields: ${names.join(', ')}`,
    }));
}

/** Their names, the ones that people give first in front. */
export function fieldsOfEvents(events: readonly EventName[]): string[] {
  const covers = (where: readonly string[] | undefined): boolean => events.some(event => coversEvent(where, event));
  const own = Object.entries(fieldRules).filter(([, rule]) => covers(rule.in));
  const matched = Object.keys(matchedFields).filter(key => covers(matchedFields[key]));
  return [
    ...own.filter(([, rule]) => rule.in).map(([name]) => name),
    ...(events.some(hasInput) ? Object.keys(shortcuts) : []),
    ...matched,
    ...own.filter(([, rule]) => !rule.in).map(([name]) => name),
  ];
}

const hasInput = (event: EventName): boolean => coversEvent(fieldRules.input.in, event);

const isField = (event: EventName, key: string): boolean =>
  isOwnField(event, key) ||
  (Object.hasOwn(matchedFields, key) && coversEvent(matchedFields[key], event)) ||
  (hasInput(event) && Object.hasOwn(shortcuts, key));

/** Under whichever of its names: an absent value is taken by the field whose name it has. */
function isOwnField(event: EventName, key: string): boolean {
  const reading = toEvent(event, Object.fromEntries([[key, null]]), () => '');
  return reading.kind === 'event' && reading.event.extra === undefined;
}

/** `command` and `file` go where tools have them. */
function payloadOf(
  events: readonly EventName[],
  fields: Fields,
): { kind: 'payload'; payload: Fields } | Extract<FieldsReading, { kind: 'bad' }> {
  const short = Object.keys(shortcuts).filter(
    key => Object.hasOwn(fields, key) && !events.some(event => isOwnField(event, key)),
  );
  if (short.length === 0) return { kind: 'payload', payload: fields };
  const flaws = short
    .filter(key => typeof fields[key] !== 'string')
    .map(key => ({ key, message: `"${key}" must be a text` }));
  const inputKey = Object.keys(fields).find(key => fieldNamed(events, key) === 'input') ?? 'input';
  const input = fields[inputKey] ?? {};
  if (!isObject(input)) flaws.push({ key: inputKey, message: `"${inputKey}" must be a map beside "${short[0]}"` });
  if (flaws.length > 0) return { kind: 'bad', flaws };
  const named = Object.fromEntries(short.map(key => [shortcuts[key]!, fields[key]]));
  const rest = Object.entries(fields).filter(([key]) => !short.includes(key));
  return {
    kind: 'payload',
    payload: Object.fromEntries([...rest, [inputKey, { ...(input as object), ...named }]]),
  };
}

/** The field that a name stands for; undefined: none of ours. */
function fieldNamed(events: readonly EventName[], key: string): keyof EventFields | undefined {
  for (const event of events)
    for (const value of [true, 'x', 1]) {
      const reading = toEvent(event, Object.fromEntries([[key, value]]), () => '');
      if (reading.kind === 'bad' || reading.event.extra) continue;
      const found = Object.keys(reading.event).find(name => name !== 'at' && name !== 'name');
      return (found ?? 'at') as keyof EventFields;
    }
  return undefined;
}

/** The type of the value that a key takes; what is no field of ours is a text. */
export function typeOfField(events: readonly EventName[], key: string): FieldRule['type'] {
  const field = fieldNamed(events, key);
  return field === undefined ? 'text' : fieldRules[field].type;
}
