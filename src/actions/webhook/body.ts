import type { WebhookAction } from '../../model/index.ts';
import { fillJson, fillText, percentEncoded } from './fill.ts';
import type { Filled } from './fill-url.ts';
import type { Values } from './values.ts';

/**
 * The body as text. JSON unless the content type says otherwise: values become JSON strings, never JSON text. A string
 * that holds a JSON object or list is one. Forms get their values encoded, other strings go as they are.
 */
export function fillBody(
  { body, method }: WebhookAction,
  contentType: string | undefined,
  values: Values,
): Filled<string | null> {
  if (body === undefined || (bodiless.has(method.toUpperCase()) && isEmpty(body)))
    return { kind: 'filled', value: null };
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType ?? '');
  if (typeof body === 'string' && !isJson(contentType))
    return { kind: 'filled', value: fillText(body, values, isForm ? percentEncoded : undefined) };
  const filled = fillJson(typeof body === 'string' ? (parseComposite(body) ?? body) : body, values);
  if (filled === undefined) return { kind: 'flaw', reason: 'its body is nested too deep' };
  return { kind: 'filled', value: isForm && isObject(filled) ? toForm(filled) : JSON.stringify(filled) };
}

/** A body nobody wrote is `{}`; with these methods it would only confuse. */
const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /[/+]json\s*(?:;|$)/i.test(contentType);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

function parseComposite(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toForm(fields: Record<string, unknown>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form.toString();
}
