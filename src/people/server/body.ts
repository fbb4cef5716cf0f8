import type { IncomingMessage } from 'node:http';
import type { Refusal } from './reply.ts';

export type Body =
  | { kind: 'fields'; fields: Readonly<Record<string, unknown>> }
  | { kind: 'refused'; refusal: Refusal };

const maxBytes = 64 * 1024;
/** A little more is read and thrown away, so that the sender gets to see why. */
const drainedBytes = 1024 * 1024;
const maxDepth = 32;

/** The fields of an answer: JSON, a form, or nothing. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > drainedBytes) return tooLarge;
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') return refused(415, 'Send it uncompressed.');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    if (size > drainedBytes) return tooLarge;
  }
  if (size > maxBytes) return tooLarge;
  const text = new TextDecoder('utf-8', { fatal: true });
  try {
    return parse(text.decode(Buffer.concat(chunks)).trim(), request.headers['content-type'] ?? '');
  } catch {
    return refused(422, 'The body is not UTF-8.');
  }
}

function parse(text: string, contentType: string): Body {
  if (text === '') return { kind: 'fields', fields: {} };
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (!readable.includes(type)) return refused(415, `Send JSON or a form, not ${type.slice(0, 60)}.`);
  // curl -d calls everything a form.
  return type === 'application/json' || text.startsWith('{') ? parseJson(text) : parseForm(text);
}

const readable = ['', 'application/json', 'application/x-www-form-urlencoded', 'text/plain'];

function parseJson(text: string): Body {
  if (depthOf(text) > maxDepth) return refused(422, `The JSON is nested deeper than ${maxDepth}.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(422, 'The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused(422, 'The body must be a JSON object, such as {"action": "approve"}.');
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

function parseForm(text: string): Body {
  const form = new URLSearchParams(text);
  if ([...form.keys()].some(key => form.getAll(key).length > 1)) return twice;
  return { kind: 'fields', fields: ownFields([...form]) };
}

/** A token that came along is no part of the answer, and names with a meaning to JavaScript are nobody's. */
const ownFields = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries.filter(([name]) => !['token', '__proto__', 'constructor', 'prototype'].includes(name)));

/** An upper bound: brackets in texts count too where they are not closed. */
function depthOf(text: string): number {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') isText = !isText;
    else if (char === '\\' && isText) at += 1;
    else if (!isText && (char === '{' || char === '[')) deepest = Math.max(deepest, ++depth);
    else if (!isText && (char === '}' || char === ']')) depth -= 1;
  }
  return deepest;
}

const refused = (status: number, message: string): Body => ({ kind: 'refused', refusal: { status, message } });
const twice = refused(422, 'A field of the answer stands there twice.');
const tooLarge = refused(413, `The answer is larger than ${maxBytes / 1024} KiB.`);
