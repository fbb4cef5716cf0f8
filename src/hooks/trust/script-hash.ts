import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Of a larger file only its identity is told, which every change of it changes. */
const maxHashedBytes = 64 * 1024 * 1024;

/** A hash of what a path leads to; null where there is no file. Contract: never throws, never waits for a pipe. */
export function hashFile(path: string): string | null {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile()) return null;
    const mode = (stats.mode & 0o111) === 0 ? 'plain' : 'executable';
    if (stats.size > maxHashedBytes)
      return `large ${mode} ${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(256 * 1024);
    for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk)) hash.update(chunk.subarray(0, count));
    return `${mode} ${hash.digest('hex')}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' ? null : `unreadable ${code}`;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
