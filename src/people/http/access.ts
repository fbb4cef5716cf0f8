import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exchange, Middleware } from './router.ts';

/** How a server says no: each has its own form. */
export type Refuse = (exchange: Exchange, status: number, message: string) => Response;

/** Names and pages that count as our own beside those of the loopback address; asked for only where others come. */
export interface Published {
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

const nothing: Published = { hosts: new Set(), origins: new Set() };

/** A name that leads to 127.0.0.1 by DNS shows in Host. On a unix socket there is no port, and its folder keeps others away. */
export const onlyOwnHosts =
  (refuse: Refuse, published: () => Promise<Published> = async () => nothing): Middleware =>
  async (exchange, next) => {
    const { rawHeaders, socket } = exchange.env.incoming;
    // Node itself keeps only the first of several.
    const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === 'host');
    const host = hosts[0]?.toLowerCase();
    if (hosts.length !== 1 || !host) return refuse(exchange, 400, 'the request names no host, or several');
    if (socket.localPort === undefined || ownNames(socket.localPort).includes(host)) return next();
    return (await published()).hosts.has(host)
      ? next()
      : refuse(exchange, 421, 'this server does not answer for that host');
  };

/**
 * Whether another web page sends it, which shows in Origin and Sec-Fetch-Site; programs send neither. A link that a person
 * follows comes from anywhere and only shows a page.
 */
export function isOtherPage({ headers, method }: IncomingMessage, isOwnOrigin: (origin: string) => boolean): boolean {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': shownAs = 'document' } = headers;
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  const isFollowedLink = method !== 'POST' && mode === 'navigate' && shownAs === 'document';
  return (origin !== undefined && !isOwnOrigin(origin)) || !(isOwnSite || isFollowedLink);
}

export const isOwnOrigin = (origin: string, port: number | undefined): boolean =>
  port !== undefined && ownNames(port).some(name => origin === `http://${name}`);

const ownNames = (port: number): string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

/** Programs with one of the tokens, which POST; web pages are none. On a unix socket its folder keeps others away. */
export const onlyPrograms =
  (refuse: Refuse, tokens: readonly string[]): Middleware =>
  async (exchange, next) => {
    const { headers, socket } = exchange.env.incoming;
    if (headers.origin !== undefined || Object.keys(headers).some(name => name.startsWith('sec-fetch-')))
      return refuse(exchange, 403, 'web pages are not answered');
    if (exchange.req.method !== 'POST') return refuse(exchange, 405, 'POST a payload');
    const [, token = ''] = /^Bearer ([0-9a-f]+)$/i.exec(headers.authorization ?? '') ?? [];
    return socket.localPort === undefined || isOneOf(token, tokens)
      ? next()
      : refuse(exchange, 401, 'a bearer token is needed; serve.json in the state folder has it');
  };

/** Takes as long for a secret that is nearly right as for any other. */
export function isOneOf(secret: string, known: readonly string[]): boolean {
  const given = Buffer.from(secret);
  let found = false;
  for (const one of known.map(text => Buffer.from(text)))
    if (one.length === given.length && timingSafeEqual(one, given)) found = true;
  return found;
}

/** The whole body; `too-large` where it is longer than the limit, `lost` where it does not come to its end. */
export type Body = { kind: 'whole'; bytes: Buffer } | { kind: 'too-large' } | { kind: 'lost' };

/** A sender that writes more than the limit gets to see why: as much as `drainedBytes` is read and thrown away. */
export function readBody(request: IncomingMessage, maxBytes: number, drainedBytes = maxBytes): Promise<Body> {
  if (Number(request.headers['content-length'] ?? 0) > drainedBytes) return Promise.resolve({ kind: 'too-large' });
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise(resolve => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      if (size > drainedBytes) resolve({ kind: 'too-large' });
    });
    request.on('end', () =>
      resolve(size > maxBytes ? { kind: 'too-large' } : { kind: 'whole', bytes: Buffer.concat(chunks) }),
    );
    for (const event of ['error', 'close']) request.on(event, () => resolve({ kind: 'lost' }));
  });
}

const freeTries = 20;
const windowMs = 60_000;
const firstPauseMs = 50;
const longestPauseMs = 5000;
const maxClients = 1000;

/**
 * Slows down who gives wrong tokens: what it returns settles when that client may have its reply. The right one never
 * passes here, so it is never slowed.
 */
export function createRateLimit(): (client: string) => Promise<void> {
  const tries = new Map<string, { count: number; sinceMs: number }>();
  return async client => {
    const nowMs = performance.now();
    const before = tries.get(client);
    const isFresh = before !== undefined && nowMs - before.sinceMs < windowMs;
    const { count, sinceMs } = isFresh ? { ...before, count: before.count + 1 } : { count: 1, sinceMs: nowMs };
    tries.delete(client);
    tries.set(client, { count, sinceMs });
    const [oldest] = tries.keys();
    if (tries.size > maxClients && oldest !== undefined) tries.delete(oldest);
    if (count > freeTries)
      await delay(Math.min(longestPauseMs, firstPauseMs * 2 ** (count - freeTries - 1)), undefined, { ref: false });
  };
}

/** Of the browser that may see the dashboard at this port. Browsers send cookies to every port of a host, so also here. */
export const dashboardCookie = (port: number): string => `hookloop-${port}`;
