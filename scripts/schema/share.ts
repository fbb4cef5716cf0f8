type Json = Record<string, unknown>;

/** The same schema, in which what stands in several places is written once, under $defs. */
export function shared(schema: Json): Json {
  const names = repeatedParts(schema);
  const refer = (part: Json): Json => {
    const name = names.get(JSON.stringify(part));
    return name === undefined ? write(part) : { $ref: `#/$defs/${name}` };
  };
  /** Where only its description differs, the rest is written once. */
  const write = (part: Json): Json => {
    const { description, ...rest } = part;
    if (description === undefined || !names.has(JSON.stringify(rest))) return withParts(part, refer);
    return { ...refer(rest), description };
  };
  const { $defs, ...root } = withParts(schema, refer) as Json & { $defs?: Json };
  const added = [...names].map(([text, name]) => [name, write(JSON.parse(text))]);
  return { ...root, ...((added.length > 0 || $defs) && { $defs: { ...$defs, ...Object.fromEntries(added) } }) };
}

/** The text of each part that is worth a definition, and its name. */
function repeatedParts(schema: Json): Map<string, string> {
  const seen = new Set<string>();
  const names = new Map<string, string>();
  const visit = (part: Json): Json => {
    const text = JSON.stringify(part);
    const { description, ...rest } = part;
    if (seen.has(text)) {
      if (text.length > shortest && !names.has(text)) names.set(text, `part${names.size + 1}`);
    } else {
      seen.add(text);
      if (description === undefined) withParts(part, visit);
      else visit(rest);
    }
    return part;
  };
  withParts(schema, visit);
  return names;
}

/** Of a text that is hardly longer than a reference, one would be no gain. */
const shortest = 60;

/** A schema with each schema in it changed. */
function withParts(schema: Json, change: (part: Json) => Json): Json {
  const changed = (part: unknown): unknown => (isSchema(part) ? change(part) : part);
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (holdsOne.has(key)) return [key, changed(value)];
      if (holdsList.has(key)) return [key, (value as unknown[]).map(changed)];
      if (!holdsNamed.has(key)) return [key, value];
      return [key, Object.fromEntries(Object.entries(value as Json).map(([name, part]) => [name, changed(part)]))];
    }),
  );
}

const holdsOne = new Set(['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else']);
const holdsList = new Set(['anyOf', 'allOf', 'oneOf']);
const holdsNamed = new Set(['properties', 'patternProperties', '$defs']);

/** true and false are schemas too, with nothing in them. */
const isSchema = (part: unknown): part is Json => typeof part === 'object' && part !== null;
