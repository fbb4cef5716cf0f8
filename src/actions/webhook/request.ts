import { createHash, randomBytes } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { AskAction, Scope } from '../../model/index.ts';
import { isObject, jsonOf } from '../../model/json.ts';
import { version } from '../../platform/build.ts';
import { type Filled, fillJson, fillText, fillUrl, flaw, percentEncoded, type Values } from './fill.ts';

/** A request as its file has it. */
export type RequestTemplate = NonNullable<AskAction['notify']>;

export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** What filling in and sending a request needs from outside. */
export interface SendOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Values of the user's secrets files; asked for when a name is not the event's. */
  secrets: () => Readonly<Record<string, string>>;
  /** Names the session: with a run's key it makes the delivery's id, which a crash does not change. */
  seed: string;
  warn?: (text: string) => void;
  lookup?: Lookup;
  /** A certificate to trust beside the usual ones, in PEM. */
  ca?: string;
}

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
export function fillRequest(action: RequestTemplate, values: Values, reach: Reach): Filled<WebhookRequest> {
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

const plainHeaders: ReadonlySet<string> = new Set(['content-type', 'user-agent', 'accept', 'accept-language']);

/** What may be secret although the author has written it into the file: headers, the URL and its long parts, the key. */
export function tellingParts({ url, headers, secret }: WebhookRequest): string[] {
  const ofHeaders = Object.entries(headers)
    .filter(([name]) => !plainHeaders.has(name))
    .flatMap(([, value]) => [value, value.split(' ').at(-1) ?? '']);
  const ofPath = url.pathname.split('/').filter(part => part.length >= 12);
  const whole = [url.href, url.pathname + url.search, url.password, secret ?? ''];
  return [...ofHeaders, ...ofPath, ...url.searchParams.values(), ...whole];
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
  { body, method }: RequestTemplate,
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

const parseComposite = (text: string): unknown => (/^\s*[[{]/.test(text) ? jsonOf(text) : undefined);

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

/** How far a hook may reach: the user's own files also into private networks. */
export type Reach = 'public' | 'private';

export const reachOf = (scope: Scope): Reach => (scope === 'user' ? 'private' : 'public');

/** Why nothing may be sent to a URL, as far as it shows without asking for the host's address. */
export function urlFlaw({ protocol, hostname }: URL, reach: Reach): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'only https URLs are allowed (http only to this machine)';
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return addressFlaw(address, protocol, reach);
  if (protocol === 'http:' && hostname !== 'localhost') return plainText;
  return undefined;
}

/** Why a connection may not go to an address. */
export function addressFlaw(address: string, protocol: string, reach: Reach): string | undefined {
  const kind = kindOfAddress(address);
  if (kind === 'loopback') return undefined;
  if (protocol === 'http:') return plainText;
  if (kind === 'unusable') return 'its address cannot be sent to';
  if (kind === 'private' && reach === 'public')
    return "its address is a private one; only hooks in the user's own files may send there";
  return undefined;
}

const plainText = 'http is allowed only to this machine (localhost, 127.0.0.1, [::1]); use https';

/** Where an address leads. `unusable`: no one's, everyone's, or, as 0.0.0.0, another way to write this machine. */
type AddressKind = 'loopback' | 'private' | 'unusable' | 'public';

export function kindOfAddress(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0) return 'unusable';
  const version = family === 4 ? 'ipv4' : 'ipv6';
  if (unusable.check(address, version)) return 'unusable';
  if (loopback.check(address, version)) return 'loopback';
  return inside.check(address, version) ? 'private' : 'public';
}

// A rule for IPv4 also hits ::ffff:a.b.c.d, the same address in IPv6 clothes.
const unusable = listOf(['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8']);

const loopback = listOf(['127.0.0.0/8', '::1/128']);

const inside = listOf([
  // Private, carrier-grade NAT, link-local (with the metadata addresses of clouds).
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10'],
  // Azure's metadata, and Oracle's among the addresses for protocols.
  ...['168.63.129.16/32', '192.0.0.0/24'],
  // Documentation, benchmarks, discarded.
  ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '198.18.0.0/15', '2001:db8::/32', '3fff::/20', '100::/64'],
  // IPv6 that carries an IPv4 address inside: NAT64, 6to4, Teredo, SIIT, and the old compatible form.
  ...['64:ff9b::/96', '64:ff9b:1::/48', '192.88.99.0/24', '2002::/16', '2001::/32', '::ffff:0:0:0/96', '::/96'],
]);

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', prefix = ''] = subnet.split('/');
    list.addSubnet(net, Number(prefix), isIP(net) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
