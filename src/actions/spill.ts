import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { ByteMask } from '../hooks/secrets/mask.ts';
import { openPrivateFile, privateFileName } from './private-file.ts';

export interface OpenFile {
  path: string;
  fd: number;
}

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
    const file = openPrivateFile(folder, name);
    if (index !== undefined) remember(index, file.path);
    return file;
  },
});

/** A link for each file, which carries the file's own name: no process has to wait for another to add or remove one. */
function remember(index: string, path: string): void {
  try {
    mkdirSync(index, { recursive: true, mode: 0o700 });
    symlinkSync(resolve(path), join(index, basename(path)));
  } catch {
    // It is kept all the same, and is only not counted.
  }
}

/** Removes the oldest spills until the others have `maxBytes` at most, and what is known of those that are gone. */
export function makeRoom(index: string, maxBytes: number): void {
  const spills = namesIn(index).flatMap(name => {
    const link = join(index, name);
    const found = spillBehind(link);
    if (!found) remove(link);
    return found ? [{ link, ...found }] : [];
  });
  let bytes = spills.reduce((sum, { size }) => sum + size, 0);
  for (const { path, link, size } of spills.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (bytes <= maxBytes) return;
    remove(path);
    remove(link);
    bytes -= size;
  }
}

/** undefined where it is gone, or is no file of ours. */
function spillBehind(link: string): { path: string; size: number; mtimeMs: number } | undefined {
  try {
    const path = readlinkSync(link);
    const stats = lstatSync(path);
    return stats.isFile() && privateFileName.test(basename(path))
      ? { path, size: stats.size, mtimeMs: stats.mtimeMs }
      : undefined;
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process was faster.
  }
}

/** Removes our files that nobody has written to for `olderThanMs`, and says how many. A missing folder is fine. */
export function cleanOldSpills(folder: string, olderThanMs: number): number {
  const limit = Date.now() - olderThanMs;
  return namesIn(folder).filter(name => privateFileName.test(name) && removeIfOlder(join(folder, name), limit)).length;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function removeIfOlder(path: string, limit: number): boolean {
  try {
    const stats = lstatSync(path);
    if (!stats.isFile() || stats.mtimeMs > limit) return false;
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
