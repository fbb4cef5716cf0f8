import { closeSync, constants, fsyncSync, linkSync, openSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder, writeFullySync } from '../journal/disk.ts';

let count = 0;

/**
 * Makes a file exactly once, whatever processes try at the same time: true for the one that made it. Either way the file
 * is whole and on disk. Contract: throws the system's error where that is not sure.
 */
export function writeOnce(path: string, text: string): boolean {
  count += 1;
  const temporary = `${path}.${process.pid}-${count}-${process.hrtime.bigint()}.tmp`;
  const fd = openSync(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    try {
      writeFullySync(fd, Buffer.from(text), 0);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    const isFirst = linkOnce(temporary, path);
    // Also for the others: the first one's name may not be on disk yet, and they are about to tell of it.
    syncFolder(dirname(path));
    return isFirst;
  } finally {
    removeQuietly(temporary);
  }
}

function linkOnce(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A name too many does no harm. */
function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It goes with its folder.
  }
}
