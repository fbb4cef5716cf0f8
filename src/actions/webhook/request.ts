import { createHash, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { WebhookAction } from '../../model/index.ts';
import { version } from '../../platform/build.ts';
import { type Reach, urlFlaw } from './addresses.ts';
import { type Filled, fillJson, fillText, fillUrl, flaw, percentEncoded, type Values } from './fill.ts';

/** A request with all its values, ready to be sent. */
export interface WebhookRequest {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
  /** Signs one try as Standard Webhooks has it. */
  sign?: (id: string, at: Date, body: string) => string;
  /** What it is signed with. */
  secret?: string;
}

/** Fills in what an action says. A reason never tells more of the URL than scheme and host. */
export function fillRequest(action: WebhookAction, values: Values, reach: Reach): Filled<WebhookRequest> {
  const url = fillUrl(action.url, values);
  if (url.kind === 'flaw') return url;
  const wrong = urlFlaw(url.value, reach) ?? methodFlaw(action.method);
  if (wrong !== undefined) return flaw(`${sayHost(url.value)}: ${wrong}`);
  const headers = fillHeaders(action.headers, values);
  if (headers.kind === 'flaw') return headers;
  const body = fillBody(action, headers.value['content-type'], values);
  if (body.kind === 'flaw') return body;
  const signing = signingWith(action.secret === undefined ? undefined : fillText(action.secret, values).trim());
  if (signing.kind === 'flaw') return signing;
  return {
    kind: 'filled',
    value: {
      url: url.value,
      method: action.method.toUpperCase(),
      headers: {
        'user-agent': `hookloop/${version}`,
        ...(body.value !== null && { 'content-type': 'application/json' }),
        ...basicAuthorization(url.value),
        ...headers.value,
      },
      body: body.value,
      ...signing.value,
    },
  };
}

/** All that is ever told of a webhook's URL. */
export const sayHost = ({ protocol, host }: URL): string => `${protocol}//${host}`;

/** The same for every try, and for the run that a crash makes necessary: receivers know a repetition by it. No dot, signatures have dots around it. */
export function deliveryId(seed: string, key: string | undefined): string {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  const bytes = key === undefined ? randomBytes(18) : hash(JSON.stringify([seed, key]));
  return `msg_${bytes.subarray(0, 18).toString('base64url')}`;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const methodFlaw = (method: string): string | undefined =>
  token.test(method) && method.toUpperCase() !== 'CONNECT' ? undefined : 'its method is not one that can be sent';

/** What frames the request, and what makes the delivery known, is not the author's to set. */
const ours: ReadonlySet<string> = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['upgrade', 'expect', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
]);

function fillHeaders(templates: Readonly<Record<string, string>>, values: Values): Filled<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    const lower = name.toLowerCase();
    if (!token.test(name)) return flaw(`${JSON.stringify(name)} is not the name of a header`);
    if (ours.has(lower)) return flaw(`header ${name} cannot be set by a hook`);
    const value = fillText(template, values);
    if (/[\r\n]/.test(value)) return flaw(`header ${name} would hold a line break`);
    if (/[\0-\x08\x0b-\x1f\x7f]/.test(value)) return flaw(`header ${name} would hold a control character`);
    // Headers are bytes to HTTP; receivers read them as UTF-8.
    headers[lower] = Buffer.from(value).toString('latin1');
  }
  return { kind: 'filled', value: headers };
}

/**
 * The body as text. JSON unless the content type says otherwise: values become JSON strings, never JSON text. A string
 * that holds a JSON object or list is one. Forms get their values encoded, other strings go as they are.
 */
function fillBody(
  { body, method }: WebhookAction,
  contentType: string | undefined,
  values: Values,
): Filled<string | null> {
  // A body no one wrote is `{}`; with these methods it would only confuse.
  const isUnwanted = /^(GET|HEAD)$/i.test(method) && isObject(body) && Object.keys(body).length === 0;
  if (body === undefined || isUnwanted) return { kind: 'filled', value: null };
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType ?? '');
  const isJson = contentType === undefined || /[/+]json\s*(?:;|$)/i.test(contentType);
  if (typeof body === 'string' && !isJson)
    return { kind: 'filled', value: fillText(body, values, isForm ? percentEncoded : undefined) };
  const filled = fillJson(typeof body === 'string' ? (parseComposite(body) ?? body) : body, values);
  if (filled === undefined) return flaw('its body is nested too deep');
  return { kind: 'filled', value: isForm && isObject(filled) ? toForm(filled) : JSON.stringify(filled) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/** A secret of Standard Webhooks is base64, with or without `whsec_` in front. */
function signingWith(secret: string | undefined): Filled<Pick<WebhookRequest, 'sign' | 'secret'>> {
  if (secret === undefined) return { kind: 'filled', value: {} };
  if (secret === '') return flaw('its secret is empty, so it cannot be signed');
  try {
    const webhook = new Webhook(secret);
    return { kind: 'filled', value: { secret, sign: (id, at, body) => webhook.sign(id, at, body) } };
  } catch {
    return flaw('its secret is not one of Standard Webhooks (whsec_ and base64)');
  }
}

function basicAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
