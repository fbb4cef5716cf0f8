import { closeSync, fsync, fsyncSync, openSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** Why the journal could not be written. The cause is the system's own error. */
export class JournalError extends Error {
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`journal: ${reason}`, options);
    this.name = 'JournalError';
    this.reason = reason;
  }
}

/** What a person reads about an error of the file system. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const words = reasons[code];
  return words ? `${words} (${code})` : message;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow further',
  EIO: 'the disk reports an input/output error',
  EISDIR: 'a folder stands in its place',
  ELOOP: 'a link stands in its place, and links are not followed here',
  ENOENT: 'it does not exist',
  ENOSPC: 'no space left on the disk',
  EPERM: 'not permitted',
  EROFS: 'the disk is read-only',
};

const writeOnce = promisify(write);

/** Goes on after short writes, so that a full disk shows as its error and not as a torn line. */
export async function writeFully(fd: number, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeOnce(fd, bytes, done, bytes.length - done, position + done);
    done += moreThanNone(bytesWritten);
  }
}

export function writeFullySync(fd: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += moreThanNone(writeSync(fd, bytes, done, bytes.length - done, position + done));
}

function moreThanNone(bytesWritten: number): number {
  if (bytesWritten <= 0) throw new Error('the disk takes no more bytes');
  return bytesWritten;
}

/** A new name in a folder survives a power loss only once the folder itself is on disk. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const syncOpened = promisify(fsync);

/** Resolves once a file's bytes, or a folder's names, are on disk; what is not waited for goes on meanwhile. */
export async function bringToDisk(path: string): Promise<void> {
  const fd = openSync(path, 'r');
  try {
    await syncOpened(fd);
  } finally {
    closeSync(fd);
  }
}
