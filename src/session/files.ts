import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { writeFullySync } from './journal/disk.ts';

let count = 0;

/**
 * A reader sees the old file or the new one, never a part. With `sync` the bytes are on disk before the name is; the
 * folder is the caller's. Contract: throws the system's error and leaves no half-written file.
 */
export function writeAtomically(path: string, text: string | Buffer, sync = false): void {
  count += 1;
  const temporary = `${path}.${process.pid}-${count}.tmp`;
  const fd = openSync(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    try {
      writeFullySync(fd, typeof text === 'string' ? Buffer.from(text) : text, 0);
      if (sync) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Contract: throws where something is there already. */
export const writeNew = (path: string, text: string): void => writeFileSync(path, text, { flag: 'wx', mode: 0o600 });

export const writeJson = (path: string, value: unknown, sync = false): void =>
  writeAtomically(path, jsonText(value), sync);

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * As atomic as a file, and cheaper: where a rename replaces a file, ext4 first brings the new one's bytes to disk, which
 * takes longer than everything else an iteration does.
 */
export function replaceLink(path: string, target: string): void {
  count += 1;
  const temporary = `${path}.${process.pid}-${count}.tmp`;
  try {
    symlinkSync(target, temporary);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') rmSync(temporary, { force: true });
    else if (code === 'ENOENT') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    else throw error;
    symlinkSync(target, temporary);
  }
  renameSync(temporary, path);
}

export type FileBytes = { kind: 'bytes'; bytes: Buffer } | { kind: 'absent' } | { kind: 'unreadable'; reason: string };

/** A file that somebody else writes: it may be missing, huge, a folder, or a pipe that nobody ever writes to. */
export function readRegularFile(path: string, maxBytes: number): FileBytes {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'absent' };
    return { kind: 'unreadable', reason: reasons[code] ?? `cannot be read: ${message}` };
  }
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) return { kind: 'unreadable', reason: 'is a folder, not a file' };
    if (!stats.isFile()) return { kind: 'unreadable', reason: 'is not a regular file' };
    const bytes = readUpTo(fd, maxBytes + 1);
    if (bytes.length > maxBytes) return { kind: 'unreadable', reason: `is larger than ${maxBytes / 1024 / 1024} MiB` };
    return { kind: 'bytes', bytes };
  } catch (error) {
    return { kind: 'unreadable', reason: `cannot be read: ${(error as Error).message}` };
  } finally {
    closeSync(fd);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  ELOOP: 'cannot be read: its links lead in a circle',
  ENXIO: 'is not a regular file',
};

/** To the end, whatever its size was said to be: it may grow while it is read. */
function readUpTo(fd: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  for (let done = 0; done < limit; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, limit - done));
    const read = readSync(fd, chunk, 0, chunk.length, done);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    done += read;
  }
  return Buffer.concat(chunks);
}

const chunkBytes = 64 * 1024;
