import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openPrivateFile, privateFileName } from './private-file.ts';

/** Opens a file for output that does not fit in memory. Whoever opens it closes `fd`. Contract: throws only file errors. */
export interface Spill {
  open(name: 'stdout' | 'stderr'): { path: string; fd: number };
}

export const createSpill = (folder: string): Spill => ({ open: name => openPrivateFile(folder, name) });

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
