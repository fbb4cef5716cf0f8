import { closeSync, fsync, openSync, write } from 'node:fs';
import { promisify } from 'node:util';
import { moreThanNone } from '../../platform/files.ts';

/** Why the journal could not be written. The cause is the system's own error. */
export class JournalError extends Error {
  readonly reason: string;

  constructor(reason: string, options?: ErrorOptions) {
    super(`journal: ${reason}`, options);
    this.name = 'JournalError';
    this.reason = reason;
  }
}

const writeOnce = promisify(write);

/** Goes on after short writes, so that a full disk shows as its error and not as a torn line. */
export async function writeFully(fd: number, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeOnce(fd, bytes, done, bytes.length - done, position + done);
    done += moreThanNone(bytesWritten);
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
