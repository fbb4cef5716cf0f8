import { isObject, isTooDeep } from '../../model/json.ts';

/**
 * The input of a tool: `${tool_input.file_path}` in its texts stands for a field of the event, empty where there is none,
 * JSON where it is no plain value. Values are not looked at again, and names of fields stay as they are. undefined: it is
 * nested too deep.
 */
export function fillInput(input: unknown, event: unknown): Record<string, unknown> | undefined {
  if (!isObject(input)) return {};
  return isTooDeep(input) ? undefined : (fillPart(input, event) as Record<string, unknown>);
}

function fillPart(part: unknown, event: unknown): unknown {
  if (typeof part === 'string') return part.replaceAll(placeholder, (_, path: string) => textAt(event, path));
  if (Array.isArray(part)) return part.map(one => fillPart(one, event));
  if (!isObject(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, fillPart(one, event)]));
}

const placeholder = /\$\{([a-zA-Z_][a-zA-Z0-9_.]*)\}/g;

function textAt(event: unknown, path: string): string {
  let value = event;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Record<string, unknown>)[name];
  }
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
