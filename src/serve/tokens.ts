import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const newToken = (): string => randomBytes(32).toString('hex');

/** Takes as long for a text that is nearly right as for any other. */
export const isToken = (given: string, token: string): boolean => timingSafeEqual(hash(given), hash(token));

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
