import { randomBytes, timingSafeEqual } from 'node:crypto';

export const newToken = (): string => randomBytes(32).toString('hex');

/** For the thin client, which reads byte by byte: nobody guesses 96 bits while a serve lives. */
export const newMark = (): string => randomBytes(12).toString('base64url');

/** Takes as long for a text that is nearly right as for any other of its length, which is no secret. */
export function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
