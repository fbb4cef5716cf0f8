import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makePrivateFolder, ownerFlaw, writeAtomically } from '../../platform/files.ts';
import { sha256 } from './canonical.ts';
import type { PinnedFile } from './pins.ts';
import { hashFile } from './script-hash.ts';
import { storeFile } from './store.ts';

/** What was trusted, to be shown beside what there is now. Texts of scripts are missing where they are long or no texts. */
export interface Snapshot {
  files: Readonly<Record<string, PinnedFile>>;
  texts: Readonly<Record<string, string>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const maxTextBytes = 256 * 1024;
const maxBytes = 4 * 1024 * 1024;

/** The hooks and the texts of their scripts. A script that has changed since it was pinned has no text here. */
export function takeSnapshot(files: Readonly<Record<string, PinnedFile>>, root: string): Snapshot {
  const hashes = new Map(Object.values(files).flatMap(({ scripts }) => Object.entries(scripts)));
  const texts: Record<string, string> = {};
  let left = maxBytes;
  for (const [name, hash] of hashes) {
    const text = textOf(resolve(root, name), hash);
    if (text === undefined || text.length > left) continue;
    left -= text.length;
    Object.defineProperty(texts, name, { value: text, enumerable: true });
  }
  return { files, texts };
}

/** Keeps it in the store's folder, under the repository's name. */
export function writeSnapshot(folder: string, key: string, snapshot: Snapshot): void {
  const file = fileIn(folder, key);
  makePrivateFolder(dirname(file));
  writeAtomically(file, JSON.stringify(snapshot), { sync: 'name' });
}

export const removeSnapshot = (folder: string, key: string): void => rmSync(fileIn(folder, key), { force: true });

/** Undefined where there is none that can be believed. */
export function readSnapshot(env: Env, key: string): Snapshot | undefined {
  const store = storeFile(env);
  if (store === undefined) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(fileIn(dirname(store), key), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (ownerFlaw(fstatSync(fd)) !== undefined) return undefined;
    const { files, texts } = JSON.parse(readFileSync(fd, 'utf8'));
    return typeof files === 'object' && typeof texts === 'object'
      ? { files: files ?? {}, texts: texts ?? {} }
      : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const fileIn = (folder: string, key: string): string => join(folder, 'trust', `${sha256(key).slice(0, 32)}.json`);

function textOf(path: string, hash: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > maxTextBytes || bytes.includes(0)) return undefined;
    return hash.endsWith(sha256(bytes)) && hashFile(path) === hash ? bytes.toString() : undefined;
  } catch {
    return undefined;
  }
}
