import type { WebhookAction } from '../../model/index.ts';
import { fillBody } from './body.ts';
import { fillText } from './fill.ts';
import { type Filled, fillUrl } from './fill-url.ts';
import { type Reach, urlFlaw } from './reach.ts';
import type { HttpRequest } from './undici.ts';
import type { Values } from './values.ts';

/** A request with all its values, ready to be sent; `secret` signs it. */
export interface WebhookRequest extends HttpRequest {
  secret?: string;
}

/** Fills in what an action says. A reason never tells more of the URL than scheme and host. */
export function fillRequest(action: WebhookAction, values: Values, reach: Reach): Filled<WebhookRequest> {
  const url = fillUrl(action.url, values);
  if (url.kind === 'flaw') return url;
  const flaw = urlFlaw(url.value, reach) ?? methodFlaw(action.method);
  if (flaw !== undefined) return { kind: 'flaw', reason: `${sayHost(url.value)}: ${flaw}` };
  const headers = fillHeaders(action.headers, values);
  if (headers.kind === 'flaw') return headers;
  const body = fillBody(action, headers.value['content-type'], values);
  if (body.kind === 'flaw') return body;
  const secret = action.secret === undefined ? undefined : fillText(action.secret, values).trim();
  if (secret === '') return { kind: 'flaw', reason: 'its secret is empty, so it cannot be signed' };
  return {
    kind: 'filled',
    value: {
      url: url.value,
      method: action.method.toUpperCase(),
      headers: {
        ...(body.value !== null && { 'content-type': 'application/json' }),
        ...basicAuthorization(url.value),
        ...headers.value,
      },
      body: body.value,
      ...(secret !== undefined && { secret }),
    },
  };
}

/** All that is ever told of a webhook's URL. */
export const sayHost = ({ protocol, host }: URL): string => `${protocol}//${host}`;

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const methodFlaw = (method: string): string | undefined =>
  token.test(method) && method.toUpperCase() !== 'CONNECT' ? undefined : 'its method is not one that can be sent';

/** What frames the request, and what makes the delivery known, is not the author's to set. */
const ours: ReadonlySet<string> = new Set(
  'host content-length transfer-encoding connection keep-alive proxy-connection te trailer upgrade expect webhook-id webhook-timestamp webhook-signature'.split(
    ' ',
  ),
);

function fillHeaders(templates: Readonly<Record<string, string>>, values: Values): Filled<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    const lower = name.toLowerCase();
    if (!token.test(name)) return { kind: 'flaw', reason: `${JSON.stringify(name)} is not the name of a header` };
    if (ours.has(lower)) return { kind: 'flaw', reason: `header ${name} cannot be set by a hook` };
    const value = fillText(template, values);
    if (/[\r\n]/.test(value)) return { kind: 'flaw', reason: `header ${name} would hold a line break` };
    if (/[\0-\x08\x0b-\x1f\x7f]/.test(value))
      return { kind: 'flaw', reason: `header ${name} would hold a control character` };
    // Headers are bytes to HTTP; receivers read them as UTF-8.
    headers[lower] = Buffer.from(value).toString('latin1');
  }
  return { kind: 'filled', value: headers };
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
