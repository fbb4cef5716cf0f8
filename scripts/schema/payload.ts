import { fieldDocs } from '../../src/model/event-docs.ts';
import {
  coversEvent,
  type EventFields,
  type EventName,
  eventNames,
  type FieldRule,
  fieldRules,
} from '../../src/model/index.ts';

type Json = Record<string, unknown>;

/**
 * What an event may carry. Fields that every event has stand at the top; those of one event, whose names may mean
 * something else in another, in `$defs` under the event's name.
 */
export function payloadSchema(): Json {
  const everywhere = Object.entries(fieldRules).filter(([, rule]) => rule.in === undefined);
  return {
    title: 'Payload of an event',
    description:
      'JSON object for `hookloop dispatch` on standard input. Case and underscores of names do not matter; every field may be absent, and unknown ones reach the hooks untouched.',
    type: 'object',
    properties: propertiesOf(everywhere.map(([field, rule]) => [field, rule, rule.also])),
    additionalProperties: true,
    $defs: Object.fromEntries(eventNames.map(name => [name, eventSchema(name)])),
  };
}

function eventSchema(name: EventName): Json {
  const own = Object.entries(fieldRules).filter(([, rule]) => rule.in !== undefined && coversEvent(rule.in, name));
  const properties = propertiesOf(own.map(([field, rule]) => [field, rule, aliasesIn(name, rule)]));
  return { title: `Payload of ${name}`, $ref: '#', ...(own.length > 0 && { properties }) };
}

export const aliasesIn = (name: EventName, rule: FieldRule): string[] =>
  rule.also.flatMap(alias => {
    const [known, where] = alias.split('@');
    return coversEvent(where === undefined ? undefined : [where], name) ? [known!] : [];
  });

/** The first field that claims a name has it, as when a payload is read. */
function propertiesOf(fields: readonly [field: string, rule: FieldRule, aliases: readonly string[]][]): Json {
  const properties: Json = {};
  for (const [field, rule, aliases] of fields)
    for (const name of [field, ...aliases])
      for (const spelling of spellingsOf(name))
        properties[spelling] ??= {
          description: spelling === field ? fieldDocs[field as keyof EventFields] : `Same as ${field}`,
          ...types[rule.type],
        };
  return properties;
}

/** The spellings people use: camelCase, snake_case and the UPPER_CASE of variables. STATUS is a path, `status` a word. */
function spellingsOf(name: string): string[] {
  if (name === name.toUpperCase()) return [name];
  const snake = name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  return [...new Set([name, snake, snake.toUpperCase()])].filter(spelling => spelling !== 'STATUS');
}

/** null counts as absent. */
export const types: Readonly<Record<FieldRule['type'], Json>> = {
  text: { type: ['string', 'null'] },
  number: { type: ['number', 'null'] },
  count: { type: ['integer', 'null'], minimum: 0 },
  lines: { type: ['array', 'string', 'null'], items: { type: 'string' } },
  flag: { type: ['boolean', 'null'] },
  json: {},
};
