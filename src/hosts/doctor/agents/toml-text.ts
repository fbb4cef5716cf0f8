import { type Fields, fieldsOf } from '../settings.ts';

/** A TOML text with each value on one line. */
export const tomlText = (fields: Fields): string =>
  Object.entries(fields)
    .map(([key, value]) => `${quotedText(key)} = ${valueText(value)}\n`)
    .join('');

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return quotedText(value);
  const pairs = Object.entries(fieldsOf(value)).map(([key, inner]) => `${quotedText(key)} = ${valueText(inner)}`);
  return `{ ${pairs.join(', ')} }`;
}

/** A JSON text is a TOML text, but for the character that ends most of the others. */
const quotedText = (value: unknown): string => JSON.stringify(value).replaceAll('\u007f', '\\u007f');
