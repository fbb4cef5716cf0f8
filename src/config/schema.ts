import { durationText } from '../model/duration.ts';
import type { Conflict, Shape } from './shape.ts';

type Json = Record<string, unknown>;

const flagWords = ['yes', 'no', 'on', 'off'].flatMap(word => [
  word,
  `${word[0]!.toUpperCase()}${word.slice(1)}`,
  word.toUpperCase(),
]);

/**
 * JSON Schema (2020-12) of a shape, for editors. Unknown keys are allowed there where they are a warning here.
 * `yaml`: its readers take words for true and false that are texts to everyone else.
 */
export function toJsonSchema(shape: Shape, { yaml = false }: { yaml?: boolean } = {}): Json {
  const described = describe(shape, part => toJsonSchema(part, { yaml }), yaml);
  // What a variant's `doc` tells of is its key `type`.
  return shape.doc === undefined || shape.type === 'variant' ? described : { ...described, description: shape.doc };
}

function describe(shape: Shape, inner: (part: Shape) => Json, yaml: boolean): Json {
  switch (shape.type) {
    case 'text':
      return {
        type: 'string',
        ...(shape.values && { enum: shape.values }),
        ...(shape.nonEmpty && { pattern: shape.commas ? '[^,\\s]' : '\\S' }),
        ...(shape.like !== undefined && { pattern: shape.like }),
      };
    case 'number':
      return {
        type: shape.integer ? 'integer' : 'number',
        ...(shape.min !== undefined && { minimum: shape.min }),
        ...(shape.max !== undefined && { maximum: shape.max }),
      };
    case 'duration':
      return {
        anyOf: [
          { type: 'number', minimum: 0 },
          { type: 'string', pattern: durationText.source },
        ],
      };
    case 'flag':
      return yaml ? { enum: [true, false, ...flagWords] } : { type: 'boolean' };
    case 'json':
      return {};
    case 'list':
      return { type: 'array', items: inner(shape.of), ...(shape.nonEmpty && { minItems: 1 }) };
    case 'entries':
      return { type: 'array', items: inner(shape.of) };
    case 'map':
      return {
        type: 'object',
        additionalProperties: inner(shape.of),
        ...(shape.names !== undefined && { propertyNames: { pattern: shape.names } }),
      };
    case 'either':
      return { anyOf: shape.of.map(inner) };
    case 'variant':
      return {
        anyOf: [
          ...(shape.asText === undefined ? [] : [inner(shape.keyed![shape.asText]!.fields[shape.asText]!)]),
          ...Object.values(shape.keyed ?? {}).map(inner),
          ...Object.values(shape.of).map(inner),
        ],
      };
    case 'record':
      return {
        type: shape.orNothing ? ['object', 'null'] : 'object',
        properties: Object.fromEntries(
          Object.entries(shape.fields).map(([key, field]) => [key, orNothing(field, inner(field))]),
        ),
        ...(shape.required.length > 0 && { required: shape.required }),
        ...(shape.closed && { additionalProperties: false }),
        ...(shape.conflicts?.length && {
          allOf: shape.conflicts.map(conflict => ({ not: toCondition(conflict, yaml) })),
        }),
      };
  }
}

const orNothing = (shape: Shape, described: Json): Json =>
  shape.type === 'entries' && shape.orNothing ? { anyOf: [described, { type: 'null' }] } : described;

/** Holds for a record that has these fields with these values. */
function toCondition({ fields }: Conflict, yaml: boolean): Json {
  const asSchema = (value: unknown): Json =>
    typeof value === 'boolean' && yaml
      ? { enum: [value, ...flagWords.filter(word => /^(yes|on)$/i.test(word) === value)] }
      : { const: value };
  return {
    required: Object.keys(fields),
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, value === null ? true : asSchema(value)]),
    ),
  };
}
