import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { dashboardCookie } from '../../people/http/access.ts';

/** A link lets a browser in, whose cookie then lets it stay. */
export type GrantKind = 'link' | 'cookie';

export const lifeMs: Readonly<Record<GrantKind, number>> = { link: 10 * 60 * 1000, cookie: 24 * 60 * 60 * 1000 };

/** Where serve is reached and what it was started with; a grant ends with that start at the latest. */
interface Start {
  url: string;
  token: string;
}

/** For the user alone: whoever opens it within ten minutes sees the dashboard for a day. */
export const dashboardLink = ({ url, token }: Start): string => `${url}/enter/${createGrant('link', token)}`;

/** The cookie for whoever comes with a good link. It is another grant, so neither link nor token stays in the browser. */
export function cookieFor(request: IncomingMessage, link: string, token: string): string | undefined {
  if (!isGrant('link', link, token)) return undefined;
  const maxAge = lifeMs.cookie / 1000;
  return `${cookieName(request)}=${createGrant('cookie', token)}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`;
}

export function hasCookie(request: IncomingMessage, token: string): boolean {
  const name = cookieName(request);
  return (request.headers.cookie ?? '')
    .split(/; */)
    .some(pair => pair.startsWith(`${name}=`) && isGrant('cookie', pair.slice(name.length + 1), token));
}

/** Browsers send cookies to every port of a host. */
const cookieName = ({ socket }: IncomingMessage): string => dashboardCookie(socket.localPort ?? 0);

/** Made from the token, which it does not tell. Nothing is kept, so that looking changes nothing. */
export function createGrant(kind: GrantKind, token: string, nowMs: number = Date.now()): string {
  const until = Math.floor((nowMs + lifeMs[kind]) / 1000).toString(36);
  return `${until}.${sign(kind, until, token).toString('base64url')}`;
}

export function isGrant(kind: GrantKind, given: string, token: string, nowMs: number = Date.now()): boolean {
  const [, until, signature] = /^([0-9a-z]{1,9})\.([\w-]{43})$/.exec(given) ?? [];
  if (until === undefined || signature === undefined) return false;
  const isOurs = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(kind, until, token));
  return isOurs && Number.parseInt(until, 36) * 1000 > nowMs;
}

const sign = (kind: GrantKind, until: string, token: string): Buffer =>
  createHmac('sha256', token).update(`dashboard\0${kind}\0${until}`).digest();
