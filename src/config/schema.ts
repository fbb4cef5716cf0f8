import { durationText } from './read.ts';
import type { Conflict, Shape } from './shape.ts';

type Json = Record<string, unknown>;

const flagWords = ['yes', 'no', 'on', 'off'].flatMap(word => [
  word,
  `${word[0]!.toUpperCase()}${word.slice(1)}`,
  word.toUpperCase(),
]);

/** JSON Schema (2020-12) of a shape, for editors. Unknown keys are allowed there where they are a warning here. */
export function toJsonSchema(shape: Shape, { yaml = false }: { yaml?: boolean } = {}): Json {
  const describe = (part: Shape, refer: (inner: Shape) => Json): Json => describePart(part, refer, yaml);
  const shared = sharedParts(shape);
  const refer = (part: Shape): Json =>
    shared.has(part) ? { $ref: `#/$defs/${shared.get(part)}` } : describe(part, refer);
  const definitions = Object.fromEntries([...shared].map(([part, name]) => [name, describe(part, refer)]));
  return { ...describe(shape, refer), ...(shared.size > 0 && { $defs: definitions }) };
}

/** Records that stand in several places are written once. */
function sharedParts(root: Shape): Map<Shape, string> {
  const seen = new Set<Shape>();
  const shared = new Map<Shape, string>();
  const visit = (shape: Shape): void => {
    if (seen.has(shape)) {
      if (shareable.has(shape.type) && !shared.has(shape)) shared.set(shape, `part${shared.size + 1}`);
      return;
    }
    seen.add(shape);
    for (const part of partsOf(shape)) visit(part);
  };
  visit(root);
  return shared;
}

const shareable: ReadonlySet<Shape['type']> = new Set(['record', 'variant', 'either', 'list', 'entries']);

function partsOf(shape: Shape): readonly Shape[] {
  if (shape.type === 'record') return Object.values(shape.fields);
  if (shape.type === 'list' || shape.type === 'entries' || shape.type === 'map') return [shape.of];
  if (shape.type === 'variant') return [...Object.values(shape.of), ...Object.values(shape.keyed ?? {})];
  return shape.type === 'either' ? shape.of : [];
}

/** `yaml`: its readers take words for true and false that are texts to everyone else. */
function describePart(shape: Shape, refer: (part: Shape) => Json, yaml: boolean): Json {
  const doc = shape.doc === undefined ? {} : { description: shape.doc };
  switch (shape.type) {
    case 'text':
      return {
        type: 'string',
        ...(shape.values && { enum: shape.values }),
        ...(shape.nonEmpty && { pattern: shape.commas ? '[^,\\s]' : '\\S' }),
        ...(shape.like !== undefined && { pattern: shape.like }),
        ...doc,
      };
    case 'number':
      return {
        type: shape.integer ? 'integer' : 'number',
        ...(shape.min !== undefined && { minimum: shape.min }),
        ...(shape.max !== undefined && { maximum: shape.max }),
        ...doc,
      };
    case 'duration':
      return {
        anyOf: [
          { type: 'number', minimum: 0 },
          { type: 'string', pattern: durationText.source },
        ],
        ...doc,
      };
    case 'flag':
      return yaml ? { enum: [true, false, ...flagWords], ...doc } : { type: 'boolean', ...doc };
    case 'json':
      return doc;
    case 'list':
      return { type: 'array', items: refer(shape.of), ...(shape.nonEmpty && { minItems: 1 }), ...doc };
    case 'entries':
      return { type: 'array', items: refer(shape.of), ...doc };
    case 'map':
      return {
        type: 'object',
        additionalProperties: refer(shape.of),
        ...(shape.names !== undefined && { propertyNames: { pattern: shape.names } }),
        ...doc,
      };
    case 'either':
      return { anyOf: shape.of.map(refer), ...doc };
    case 'variant':
      return {
        anyOf: [
          ...(shape.asText === undefined ? [] : [refer(shape.keyed![shape.asText]!.fields[shape.asText]!)]),
          ...Object.values(shape.keyed ?? {}).map(refer),
          ...Object.values(shape.of).map(refer),
        ],
      };
    case 'record':
      return {
        type: shape.orNothing ? ['object', 'null'] : 'object',
        properties: Object.fromEntries(
          Object.entries(shape.fields).map(([key, field]) => [key, orNothing(field, refer(field))]),
        ),
        ...(shape.required.length > 0 && { required: shape.required }),
        ...(shape.closed && { additionalProperties: false }),
        ...(shape.conflicts?.length && {
          allOf: shape.conflicts.map(conflict => ({ not: toCondition(conflict, yaml) })),
        }),
        ...doc,
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
