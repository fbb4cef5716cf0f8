import { closeSync, lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openPrivateFile, privateFileName } from './private-file.ts';

export interface OpenFile {
  path: string;
  fd: number;
}

/** Files for output that does not fit in memory. Contract: throws only file errors. */
export interface Spill {
  /** Whoever opens it closes `fd`, or gives the file back. */
  open(name: 'stdout' | 'stderr'): OpenFile;
  /** Closes and removes it. Contract: never throws. */
  discard(file: OpenFile): void;
}

export const createSpill = (folder: string): Spill => ({ open: name => openPrivateFile(folder, name), discard });

function discard({ path, fd }: OpenFile): void {
  try {
    closeSync(fd);
    unlinkSync(path);
  } catch {
    // Somebody else has cleaned up.
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
