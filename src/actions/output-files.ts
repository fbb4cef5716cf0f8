import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { ByteMask } from '../hooks/secrets/create-mask.ts';
import { inPrivateFolder, namesIn, removeQuietly } from '../platform/files.ts';

export interface OpenFile {
  path: string;
  fd: number;
}

/** Holds values that are too long for a hook's environment or command line. Contract: `write` throws only file errors. */
export interface Scratch {
  write(name: string, text: string): string;
  remove(path: string): void;
}

export const createScratch = (folder: string): Scratch => ({
  write: (name, text) => fill(openPrivate(folder, name), text),
  remove: removeQuietly,
});

/** Keeps a text for people to look at, in a file called after it: `0007-unit-tests.txt`, numbered in the order in which they were made. Contract: throws only file errors. */
export const keepText = (folder: string, name: string, text: string): string =>
  fill(
    openNew(folder, () => `${String(lastNumber(folder) + 1).padStart(4, '0')}-${name}.txt`),
    text,
  );

/** Files for output that does not fit in memory. Contract: throws only file errors. */
export interface Spill {
  /** Whoever opens it closes `fd`. */
  open(name: 'stdout' | 'stderr'): OpenFile;
  /** For what is written to one of them: the secrets that it must not tell. */
  mask?(): ByteMask;
}

/** All spills of a user together, wherever they are. */
const maxTotalBytes = 1_000_000_000;
/** What one may grow to: 32 MiB of its beginning and of its end, and a line between. */
const maxFileBytes = 2 * 32 * 1024 * 1024 + 100;

/** `index`: the folder that knows all spills of the user. Before a file is made the oldest others go if there is no room for it. */
export const createSpill = (folder: string, index?: string): Spill => ({
  open(name) {
    if (index !== undefined) makeRoom(index, maxTotalBytes - maxFileBytes);
    const file = openPrivate(folder, name);
    if (index !== undefined) remember(index, file.path);
    return file;
  },
});

/** A link for each file, which carries the file's own name: no process has to wait for another to add or remove one. */
function remember(index: string, path: string): void {
  const link = join(index, basename(path));
  try {
    inPrivateFolder(link, () => symlinkSync(resolve(path), link));
  } catch {
    // It is kept all the same, and is only not counted.
  }
}

/** Removes the oldest spills until the others have `maxBytes` at most, and what is known of those that are gone. */
export function makeRoom(index: string, maxBytes: number): void {
  const spills = namesIn(index).flatMap(name => {
    const link = join(index, name);
    const found = spillBehind(link);
    if (!found) removeQuietly(link);
    return found ? [{ link, ...found }] : [];
  });
  let bytes = spills.reduce((sum, { size }) => sum + size, 0);
  for (const { path, link, size } of spills.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (bytes <= maxBytes) return;
    removeQuietly(path);
    removeQuietly(link);
    bytes -= size;
  }
}

/** undefined where it is gone, or is no file of ours. */
function spillBehind(link: string): { path: string; size: number; mtimeMs: number } | undefined {
  try {
    const path = readlinkSync(link);
    const stats = lstatSync(path);
    return stats.isFile() && ownName.test(basename(path))
      ? { path, size: stats.size, mtimeMs: stats.mtimeMs }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Removes our files that no one has written to for `olderThanMs`, and says how many. A missing folder is fine. */
export function cleanOldSpills(folder: string, olderThanMs: number): number {
  const limit = Date.now() - olderThanMs;
  return namesIn(folder).filter(name => ownName.test(name) && removeIfOlder(join(folder, name), limit)).length;
}

function removeIfOlder(path: string, limit: number): boolean {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.mtimeMs <= limit && removeQuietly(path);
  } catch {
    return false;
  }
}

/** What the names of our files look like, so that cleaning up never touches anyone else's. */
const ownName = /^hook-\d+-\d+-\d+\./;

let count = 0;

function openPrivate(folder: string, name: string): OpenFile {
  return openNew(folder, () => {
    count += 1;
    return `hook-${Date.now()}-${process.pid}-${count}.${name}.txt`;
  });
}

/** A new file only the user can read, in a folder only the user can enter where it is made here. */
function openNew(folder: string, nextName: () => string): OpenFile {
  for (;;) {
    const path = join(folder, nextName());
    try {
      return { path, fd: inPrivateFolder(path, () => openSync(path, 'ax+', 0o600)) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function lastNumber(folder: string): number {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.reduce((last, name) => Math.max(last, Number(/^(\d{4,9})-/.exec(name)?.[1] ?? 0)), 0);
}

function fill({ path, fd }: OpenFile, text: string): string {
  try {
    writeFileSync(fd, text);
  } catch (error) {
    removeQuietly(path);
    throw error;
  } finally {
    closeSync(fd);
  }
  return path;
}
