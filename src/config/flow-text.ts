import { printableJson } from '../model/index.ts';

/** A value as YAML has it on one line: JSON, but for words that need no quotes. */
export function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value === 'string') return isPlain.test(value) && !isOther.test(value) ? value : printableJson(value);
  if (typeof value !== 'object' || value === null) return printableJson(value);
  const entries = Object.entries(value).map(([key, item]) => `${flowText(key)}: ${flowText(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

const isPlain = /^[A-Za-z_][\w./=@+-]*(?: [\w./=@+-]+)*$/;
/** Words that YAML, of one version or another, takes for something other than a text. */
const isOther = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
