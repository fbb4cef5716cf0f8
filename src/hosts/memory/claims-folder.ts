import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { memoryFolder } from '../../platform/processes.ts';
import { shortHash } from './files.ts';

/** The folder in memory for the claims of all this user's memories; undefined where files cannot be kept in memory. */
export const claimsInMemory = (within = memoryFolder()): string | undefined =>
  within && join(within, `hookloop-${process.getuid?.()}`);

/**
 * Where the claims of a memory are: in memory if that can be the user's alone. On a disk a new file takes longer than a
 * short hook, and claims live for minutes. Contract: never throws.
 */
export function claimsFolder(folder: string, within = memoryFolder()): string {
  const own = claimsInMemory(within);
  return own !== undefined && isOwn(own) ? join(own, nameOf(folder)) : join(folder, 'claims');
}

/** Whoever was here first, it must be the user, and nobody else may look. */
function isOwn(path: string): boolean {
  try {
    const { uid, mode } = lstatOf(path) ?? made(path);
    return (mode & 0o170777) === 0o040700 && uid === process.getuid?.();
  } catch {
    return false;
  }
}

const lstatOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

function made(path: string): Stats {
  // Recursive: another process of ours may be making it.
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return lstatSync(path);
}

/** However the home is spelled, and whether or not the folder itself has been made yet. */
function nameOf(folder: string): string {
  try {
    return shortHash(join(realpathSync.native(dirname(folder)), basename(folder)));
  } catch {
    return shortHash(folder);
  }
}
