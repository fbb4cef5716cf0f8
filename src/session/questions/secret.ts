import { createHash, createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makePrivateFolder, readRegularFile, writeOnce } from '../../platform/files.ts';

/** The user's secret, made when first needed. Contract: throws where it can be neither read nor made. */
export function userSecret(folder: string): Buffer {
  const path = join(folder, '.secret');
  const known = readSecret(path);
  if (known) return known;
  makePrivateFolder(folder, true);
  writeOnce(path, randomBytes(secretBytes).toString('hex'), { sync: 'name' });
  const made = readSecret(path);
  if (!made) throw new Error(`${path} cannot be read`);
  return made;
}

/** For who only looks: undefined where none was made. Contract: throws where it cannot be read. */
export const knownSecret = (folder: string): Buffer | undefined => readSecret(join(folder, '.secret'));

/** The same every time, so that a URL can be sent again after a crash although no token is kept beside its question. */
export const tokenOf = (secret: Buffer, id: string, nonce: string): string =>
  createHmac('sha256', secret).update(`token\0${id}\0${nonce}`).digest('base64url');

/** Shows to another program of the same user that it talks to one of ours, at this port. */
export const proofOf = (secret: Buffer, port: number, challenge: string): string =>
  createHmac('sha256', secret).update(`server\0${port}\0${challenge}`).digest('hex');

/** Shows that one of our own programs names the port, to which a page may then lead. */
export const homeMarkOf = (secret: Buffer, port: number): string =>
  createHmac('sha256', secret).update(`home\0${port}`).digest('base64url');

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

const secretBytes = 32;

function readSecret(path: string): Buffer | undefined {
  const read = readRegularFile(path, 1024);
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'unreadable') throw new Error(`${path} ${read.reason}`);
  const secret = Buffer.from(read.bytes.toString('latin1').trim(), 'hex');
  if (secret.length !== secretBytes) throw new Error(`${path} is damaged; remove it, and open questions get new URLs`);
  return secret;
}
