import { type FieldRule, requestFields } from '../../session/control/request.ts';
import type { ToolText } from './tools.ts';

/** The arguments of a tool as JSON Schema. */
export function argumentSchema({ method, arguments: docs }: ToolText): Record<string, unknown> {
  const fields: [string, FieldRule][] = Object.entries(requestFields[method]);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, rule]) => [name, { ...shapeOf(rule), description: docs[name] ?? name }]),
    ),
    required: fields.filter(([, rule]) => !rule.optional).map(([name]) => name),
    additionalProperties: false,
  };
}

function shapeOf(rule: FieldRule): Record<string, unknown> {
  if (rule.holds === 'choice') return { type: 'string', enum: rule.of };
  if (rule.holds === 'texts') return { type: 'array', items: { type: 'string' } };
  return { type: rule.holds === 'number' ? 'number' : 'string' };
}
