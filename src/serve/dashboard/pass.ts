import { createHmac, timingSafeEqual } from 'node:crypto';

/** A link lets a browser in, whose cookie then lets it stay. */
export type PassKind = 'link' | 'cookie';

/** Where serve is reached and what it was started with; a pass ends with that start at the latest. */
export interface Door {
  url: string;
  token: string;
}

export const lifeMs: Readonly<Record<PassKind, number>> = { link: 10 * 60 * 1000, cookie: 24 * 60 * 60 * 1000 };

export const enterPath = '/enter/';

/** For the user alone: whoever opens it within ten minutes sees the dashboard for a day. */
export const dashboardLink = ({ url, token }: Door): string => `${url}${enterPath}${createPass('link', token)}`;

/** Made from the token, which it does not tell. Nothing is kept, so that looking changes nothing. */
export function createPass(kind: PassKind, token: string, nowMs: number = Date.now()): string {
  const until = Math.floor((nowMs + lifeMs[kind]) / 1000).toString(36);
  return `${until}.${sign(kind, until, token).toString('base64url')}`;
}

export function isPass(kind: PassKind, given: string, token: string, nowMs: number = Date.now()): boolean {
  const [, until, signature] = /^([0-9a-z]{1,9})\.([\w-]{43})$/.exec(given) ?? [];
  if (until === undefined || signature === undefined) return false;
  const isOurs = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(kind, until, token));
  return isOurs && Number.parseInt(until, 36) * 1000 > nowMs;
}

const sign = (kind: PassKind, until: string, token: string): Buffer =>
  createHmac('sha256', token).update(`dashboard\0${kind}\0${until}`).digest();
