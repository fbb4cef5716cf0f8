import { isObject, isTooDeep, jsonOf } from '../model/json.ts';
/** The fields of an answer, or why they cannot be read. */
export type AnswerFields =
  | { kind: 'fields'; fields: Readonly<Record<string, unknown>> }
  | { kind: 'refused'; status: number; message: string };

const maxDepth = 32;

/** From JSON, a form, or nothing. */
export function parseAnswer(bytes: Buffer, contentType: string): AnswerFields {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    return refused(422, 'The body is not UTF-8.');
  }
  if (text === '') return { kind: 'fields', fields: {} };
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (!readable.includes(type)) return refused(415, `Send JSON or a form, not ${type.slice(0, 60)}.`);
  // curl -d calls everything a form.
  return type === 'application/json' || text.startsWith('{') ? parseJson(text) : parseForm(text);
}

const readable = ['', 'application/json', 'application/x-www-form-urlencoded', 'text/plain'];

function parseJson(text: string): AnswerFields {
  const value = jsonOf(text);
  if (value === undefined) return refused(422, 'The body is not JSON.');
  if (!isObject(value)) return refused(422, 'The body must be a JSON object, such as {"action": "approve"}.');
  // The answer itself is the first level.
  if (isTooDeep(value, maxDepth - 1)) return refused(422, `The JSON is nested deeper than ${maxDepth}.`);
  // JSON takes the last of equal names; whoever sends both a yes and a no has not answered.
  if (namesIn(text).length !== Object.keys(value).length) return twice;
  return { kind: 'fields', fields: ownFields(Object.entries(value)) };
}

/** The names of an object as it is written, those that stand there twice as well. */
function namesIn(json: string): string[] {
  let depth = 0;
  return [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)].flatMap(([part, colon]) => {
    if (part === '{' || part === '[') depth += 1;
    else if (part === '}' || part === ']') depth -= 1;
    else if (depth === 1 && colon !== undefined) return part;
    return [];
  });
}

function parseForm(text: string): AnswerFields {
  const form = new URLSearchParams(text);
  if ([...form.keys()].some(key => form.getAll(key).length > 1)) return twice;
  return { kind: 'fields', fields: ownFields([...form]) };
}

/** A token that came along is no part of the answer, and names with a meaning to JavaScript are no one's. */
const ownFields = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries.filter(([name]) => !['token', '__proto__', 'constructor', 'prototype'].includes(name)));

const refused = (status: number, message: string): AnswerFields => ({ kind: 'refused', status, message });
const twice = refused(422, 'A field of the answer stands there twice.');
