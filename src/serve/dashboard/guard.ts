import type { IncomingMessage } from 'node:http';
import { dashboardCookie } from '../../people/dashboard-link.ts';
import { createPass, isPass, lifeMs } from './pass.ts';

/** Whether another web page sends it, and not a person who follows a link: it may not even know whether we are there. */
export function isOtherPage({ headers }: IncomingMessage): boolean {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': place } = headers;
  const isOwn = site === undefined || site === 'none' || site === 'same-origin';
  return origin !== undefined || !(isOwn || (mode === 'navigate' && place === 'document'));
}

/** The cookie for who comes with a good link. Its pass is another one, so neither link nor token stays in the browser. */
export function entrance(request: IncomingMessage, pass: string, token: string): string | undefined {
  if (!isPass('link', pass, token)) return undefined;
  const maxAge = lifeMs.cookie / 1000;
  return `${cookieName(request)}=${createPass('cookie', token)}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict`;
}

export function isInside(request: IncomingMessage, token: string): boolean {
  const name = cookieName(request);
  return (request.headers.cookie ?? '')
    .split(/; */)
    .some(pair => pair.startsWith(`${name}=`) && isPass('cookie', pair.slice(name.length + 1), token));
}

/** Browsers send cookies to every port of a host. */
const cookieName = ({ socket }: IncomingMessage): string => dashboardCookie(socket.localPort ?? 0);
