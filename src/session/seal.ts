import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readRegularFile, syncFolder, writeAtomically, writeNew } from '../platform/files.ts';
import { type SessionPaths, sessionsFolder } from './paths.ts';

export type Unsealed = { kind: 'value'; value: unknown } | { kind: 'sealed'; reason: string };

/**
 * Locks away what the journal needs and must not tell. The key stands beside the sessions: who is handed a journal, or
 * the folder it is in, does not have it. Contract: throws where the key can be neither read nor made.
 */
export function seal(paths: SessionPaths, value: unknown): string {
  const path = keyPath(paths);
  const key = readKey(path) ?? makeKey(path);
  if (key.kind === 'bad') throw new Error(key.reason);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key.bytes, nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

export function unseal(paths: SessionPaths, sealed: string): Unsealed {
  const path = keyPath(paths);
  const key = readKey(path);
  if (!key) return { kind: 'sealed', reason: `${path} is gone: put it back` };
  if (key.kind === 'bad') return { kind: 'sealed', reason: key.reason };
  const bytes = Buffer.from(sealed, 'base64');
  const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes, nonceBytes + tagBytes)];
  try {
    const decipher = createDecipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes }).setAuthTag(tag);
    const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
    return { kind: 'value', value: JSON.parse(text.toString()) };
  } catch {
    return { kind: 'sealed', reason: `${path} is another key than the one that was used` };
  }
}

const algorithm = 'aes-256-gcm';
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16];

/** In the project and not with the user: a session goes on wherever its project is. */
const keyPath = ({ inside }: SessionPaths): string => join(sessionsFolder(inside.trusted), '.key');

type Key = { kind: 'key'; bytes: Buffer } | { kind: 'bad'; reason: string };

function readKey(path: string): Key | undefined {
  const read = readRegularFile(path, 1024);
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'unreadable') return { kind: 'bad', reason: `${path} ${read.reason}` };
  const bytes = Buffer.from(read.bytes.toString('latin1').trim(), 'hex');
  return bytes.length === keyBytes ? { kind: 'key', bytes } : { kind: 'bad', reason: `${path} is damaged` };
}

/** Of those who make it at the same time the first has made it, and it is on disk before anything is sealed with it. */
function makeKey(path: string): Key {
  const own = `${path}-${process.pid}-${randomBytes(6).toString('hex')}`;
  const text = `${randomBytes(keyBytes).toString('hex')}\n`;
  try {
    writeAtomically(own, text, { sync: 'bytes' });
    takeName(own, path, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  syncFolder(dirname(path));
  return readKey(path) ?? { kind: 'bad', reason: `${path} cannot be made` };
}

/** With a link it is whole from the first moment on; some disks have none. Contract: throws where the name is taken. */
function takeName(own: string, path: string, text: string): void {
  try {
    linkSync(own, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!withoutLinks.has(code)) throw error;
    writeNew(path, text);
  }
}

const withoutLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
