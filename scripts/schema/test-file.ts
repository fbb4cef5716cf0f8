import { matchedFields, shortcuts } from '../../src/app/event-fields.ts';
import { testFileShape } from '../../src/app/test-file.ts';
import { toJsonSchema } from '../../src/config/schema.ts';
import { allSpellings, eventsSpelled } from '../../src/dialects/wires.ts';
import { fieldDocs } from '../../src/model/event-docs.ts';
import {
  coversEvent,
  type EventFields,
  type EventName,
  eventNames,
  type FieldRule,
  fieldRules,
} from '../../src/model/index.ts';
import { aliasesIn, types } from './payload.ts';

type Json = Record<string, unknown>;

/** The shape, and what the reader asks of the fields of each event. */
export function testFileSchema(): Json {
  const schema = toJsonSchema(testFileShape, { yaml: true }) as { properties: { tests: Json & { items: Json } } };
  const { tests } = schema.properties;
  const properties = tests.items['properties'] as Record<string, Json>;
  const spellings = allSpellings();
  return {
    title: 'hookloop.test.yaml',
    description: testFileShape.doc,
    ...schema,
    properties: {
      tests: {
        ...tests,
        minItems: 1,
        items: {
          ...tests.items,
          properties: { ...properties, event: { ...properties['event'], enum: spellings } },
          allOf: byEvents(spellings).map(([events, names]) => ({
            if: { properties: { event: { enum: names } }, required: ['event'] },
            // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so.
            then: { properties: { with: fieldsOf(events) } },
          })),
        },
      },
    },
    $defs: { everywhere: everywhere(), ...Object.fromEntries(eventNames.map(name => [name, eventFields(name)])) },
  };
}

/** Spellings that mean the same events. */
function byEvents(spellings: readonly string[]): [events: readonly EventName[], spellings: string[]][] {
  const groups = new Map<string, string[]>();
  for (const spelling of spellings) {
    const key = eventsSpelled(spelling)!.join(' ');
    groups.set(key, [...(groups.get(key) ?? []), spelling]);
  }
  return [...groups].map(([key, names]) => [key.split(' ') as EventName[], names]);
}

/** Of several events, a field may be one of any. */
const fieldsOf = (events: readonly EventName[]): Json => ({
  ...(events.length === 1 ? refOf(events[0]!) : { anyOf: events.map(refOf) }),
  unevaluatedProperties: false,
});

/** Fields of every event. */
function everywhere(): Json {
  const fields = Object.entries(fieldRules).filter(([, rule]) => rule.in === undefined);
  return { type: 'object', ...propertiesOf(fields.map(([field, rule]) => [field, rule, rule.also])) };
}

const refOf = (event: EventName | 'everywhere'): Json => ({ $ref: `#/$defs/${event}` });

function eventFields(name: EventName): Json {
  const own = Object.entries(fieldRules).filter(([, rule]) => rule.in !== undefined && coversEvent(rule.in, name));
  const short = Object.keys(shortcuts).filter(
    key => coversEvent(fieldRules.input.in, name) && !own.some(([field]) => field === key),
  );
  const matched = Object.keys(matchedFields).filter(key => coversEvent(matchedFields[key], name));
  const { properties, patternProperties } = propertiesOf(
    own.map(([field, rule]) => [field, rule, aliasesIn(name, rule)]),
  );
  return {
    ...refOf('everywhere'),
    properties: {
      ...properties,
      ...Object.fromEntries(
        short.map(key => [key, { description: `Same as input.${shortcuts[key]}`, type: 'string' }]),
      ),
      ...Object.fromEntries(matched.map(key => [key, { description: "What Claude's matchers look at" }])),
    },
    patternProperties,
    // Beside them an input is a map.
    ...(short.length > 0 && {
      dependentSchemas: Object.fromEntries(
        short.map(key => [
          key,
          {
            patternProperties: Object.fromEntries(
              inputNames.map(written => [patternOf(written), { type: ['object', 'null'] }]),
            ),
          },
        ]),
      ),
    }),
  };
}

/** Each field under its own name for editors, and under every name that is read. */
const propertiesOf = (
  fields: readonly (readonly [field: string, rule: FieldRule, aliases: readonly string[]])[],
): { properties: Json; patternProperties: Json } => ({
  properties: Object.fromEntries(
    fields.map(([field, rule]) => [field, { description: fieldDocs[field as keyof EventFields], ...types[rule.type] }]),
  ),
  patternProperties: Object.fromEntries(
    fields.flatMap(([field, rule, aliases]) =>
      [field, ...aliases].map(written => [patternOf(written), types[rule.type]]),
    ),
  ),
});

const inputNames = ['input', ...fieldRules.input.also];

/** Case and underscores do not matter; STATUS is a path and `status` a word. */
function patternOf(name: string): string {
  if (name === name.toUpperCase()) return `^${name}$`;
  const letters = [...name].map(letter => `[${letter.toLowerCase()}${letter.toUpperCase()}]`).join('_*');
  return `^${name.toLowerCase() === 'status' ? '(?!STATUS$)' : ''}_*${letters}_*$`;
}
