import { createHash, randomBytes } from 'node:crypto';

/** Letters and digits that people do not mistake for each other. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 8;

export const isId = (text: string): boolean => /^[0-9a-hjkmnp-tv-z]{8}$/.test(text);

export const randomId = (): string => toId(randomBytes(idLength));

/** The same for the same origin; a further `attempt` where somebody else's question has that id. */
export const idFrom = (origin: string, attempt: number): string =>
  toId(createHash('sha256').update(`${origin}\0${attempt}`).digest());

/** As a person may type it: in capitals, with a letter for the digit that looks like it. */
export const foldId = (typed: string): string =>
  typed.trim().toLowerCase().replaceAll('-', '').replaceAll('o', '0').replaceAll(/[il]/g, '1');

const toId = (bytes: Buffer): string => Array.from(bytes.subarray(0, idLength), byte => alphabet[byte & 31]).join('');
