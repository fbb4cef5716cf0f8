import { readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder, readOwnFile, writeAtomically } from '../../platform/files.ts';
import { lockFolder } from '../../platform/lock.ts';
import { hashFile, sha256 } from './hashes.ts';
import type { PinnedFile } from './pins.ts';
import { folderFlaw, readStore, storeFile, type TrustedRepository } from './trust-store.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type Kept = { kind: 'kept' } | { kind: 'failed'; reason: string };

/** Keeps what is trusted in a repository, or forgets it. `beside` runs under the same lock, before. Contract: never rejects. */
export async function keepTrust(
  env: Env,
  key: string,
  trusted: TrustedRepository | undefined,
  beside: (folder: string) => void = () => {},
  /** An earlier name of the same project, which goes. */
  earlier?: string,
): Promise<Kept> {
  const file = storeFile(env);
  if (file === undefined) return { kind: 'failed', reason: 'there is no folder to keep it in: HOME is not set' };
  const folder = dirname(file);
  try {
    makePrivateFolder(folder);
    const flaw = folderFlaw(folder);
    if (flaw !== undefined) return failed(flaw);
    const lock = await waitForLock(folder);
    if (lock === undefined) return { kind: 'failed', reason: 'another process has been writing to it for too long' };
    try {
      const store = readStore(env);
      if (store.kind === 'bad') return failed(store);
      beside(folder);
      const others = Object.entries(store.repositories).filter(([other]) => other !== key && other !== earlier);
      const repositories = Object.fromEntries(trusted ? [...others, [key, trusted]] : others);
      writeAtomically(file, `${JSON.stringify({ version: 1, repositories })}\n`, { sync: 'name' });
      return { kind: 'kept' };
    } finally {
      await lock.release();
    }
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

const failed = ({ reason, remedy }: { reason: string; remedy: string }): Kept => ({
  kind: 'failed',
  reason: `${reason}; do this first: ${remedy}`,
});

const maxWaitMs = 10_000;
const stepMs = 20;

async function waitForLock(folder: string) {
  const until = performance.now() + maxWaitMs;
  for (;;) {
    const lock = await lockFolder(folder);
    if (lock.kind === 'held') return lock;
    if (performance.now() > until) return undefined;
    await delay(stepMs);
  }
}

/** What was trusted, to be shown beside what there is now. Texts of scripts are missing where they are long or no texts. */
export interface Snapshot {
  files: Readonly<Record<string, PinnedFile>>;
  texts: Readonly<Record<string, string>>;
}

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
  try {
    const { files, texts } = JSON.parse(readOwnFile(fileIn(dirname(store), key))?.toString() ?? '');
    return typeof files === 'object' && typeof texts === 'object'
      ? { files: files ?? {}, texts: texts ?? {} }
      : undefined;
  } catch {
    return undefined;
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
