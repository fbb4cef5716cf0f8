import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export interface Writing {
  /** 0600 unless told. The process's mask does not apply to a mode that someone chose. */
  mode?: number;
  /** The mode of a file that is not for the user alone: the process's mask applies. */
  maskedMode?: number;
  /** What is on disk when the writing is done; without it, whatever the system likes. `name`: the bytes and the name. */
  sync?: 'bytes' | 'name';
}

/**
 * A reader sees the old file or the new one, never a part. The folder is the caller's. Contract: throws the system's error
 * and leaves no half-written file.
 */
export function writeAtomically(path: string, content: string | Buffer, how: Writing = {}): void {
  const temporary = writeBeside(path, content, how);
  try {
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
  if (how.sync === 'name') syncFolder(dirname(path));
}

/**
 * Makes a file exactly once, whatever processes try at the same time: true for the one that made it. The file is whole
 * before it has its name. Contract: throws the system's error.
 */
export function writeOnce(path: string, content: string | Buffer, how: Writing = {}): boolean {
  const temporary = writeBeside(path, content, how);
  try {
    const isFirst = linkOnce(temporary, path);
    // Also for the others: the first one's name may not be on disk yet, and they are about to tell of it.
    if (how.sync === 'name') syncFolder(dirname(path));
    return isFirst;
  } finally {
    removeQuietly(temporary);
  }
}

/** Writes a file for people where there is none: never over another one, and never a part of it. */
export function writeWhereNone(
  path: string,
  text: string,
): { kind: 'written' | 'exists' } | { kind: 'failed'; reason: string } {
  try {
    makePrivateFolder(dirname(path));
    return { kind: writeOnce(path, text, { maskedMode: 0o666 }) ? 'written' : 'exists' };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

/** For who never has two writers. Contract: throws where something already exists. */
export const writeNew = (path: string, text: string): void => writeFileSync(path, text, { flag: 'wx', mode: 0o600 });

export const writeJson = (path: string, value: unknown, how?: Writing): void =>
  writeAtomically(path, jsonText(value), how);

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * As atomic as a file, and cheaper: where a rename replaces a file, ext4 first brings the new one's bytes to disk, which
 * takes longer than everything else an iteration does.
 */
export function replaceLink(path: string, target: string): void {
  const temporary = temporaryName(path);
  inPrivateFolder(path, () => symlinkSync(target, temporary));
  renameSync(temporary, path);
}

/** Makes a file; where its folder is missing, that is made first. */
export function inPrivateFolder<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makePrivateFolder(dirname(path));
    return make();
  }
}

/** A folder that only the user may enter, with those above it that are missing. With `sync` it is still there after a power loss. */
export function makePrivateFolder(folder: string, sync = false): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makePrivateFolder(dirname(folder), sync);
  try {
    // Not `recursive`: on file systems that refuse new folders with ENOENT, Node then never comes back.
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (sync) syncFolder(dirname(folder));
}

export const othersMayWrite = 'other users may write it';

/** Why a file or folder is not to be believed: someone else may have written it. */
export function ownerFlaw({ uid, mode }: Stats): string | undefined {
  if (uid !== process.getuid?.()) return 'it belongs to another user';
  return (mode & 0o022) === 0 ? undefined : othersMayWrite;
}

/** Whether we may run, or for a folder enter, it. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A file that is to be believed: one that no one else can have written, and no link or pipe in its place. Undefined for any other. */
export function readOwnFile(path: string): Buffer | undefined {
  try {
    return withOpenFile(path, constants.O_NOFOLLOW, (fd, stats) => {
      if (!stats.isFile() || ownerFlaw(stats) !== undefined) return undefined;
      const bytes = Buffer.allocUnsafe(stats.size);
      return readSync(fd, bytes) === stats.size ? bytes : undefined;
    });
  } catch {
    return undefined;
  }
}

/** Opens a file to read it, never waiting for whoever may write to a pipe in its place. Contract: throws the system's error. */
export function withOpenFile<T>(path: string, flags: number, use: (fd: number, stats: Stats) => T): T {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    return use(fd, fstatSync(fd));
  } finally {
    closeSync(fd);
  }
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

/** Goes on after short writes, so that a full disk shows as its error and not as a torn line. */
export function writeFullySync(fd: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const written = writeSync(fd, bytes, done, bytes.length - done, position + done);
    if (written <= 0) throw new Error('the disk accepts no more data');
    done += written;
  }
}

let count = 0;

/** In the same folder, so that it is on the same disk; never a name that was there before. */
function temporaryName(path: string): string {
  count += 1;
  return `${path}.${process.pid}-${count}-${process.hrtime.bigint()}.tmp`;
}

function writeBeside(path: string, content: string | Buffer, { mode, maskedMode, sync }: Writing): string {
  const temporary = temporaryName(path);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(temporary, flags, mode ?? maskedMode ?? 0o600);
  try {
    writeFullySync(fd, typeof content === 'string' ? Buffer.from(content) : content, 0);
    if (mode !== undefined) fchmodSync(fd, mode);
    if (sync !== undefined) fsyncSync(fd);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  } finally {
    closeSync(fd);
  }
  return temporary;
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

/** What is in a folder; nothing where it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** For a name that does no harm where it stays. False where it was not ours to remove, or someone else was faster. */
export function removeQuietly(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
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
  EISDIR: 'there is a folder in its place',
  ELOOP: 'there is a link in its place, and links are not followed here',
  ENOENT: 'it does not exist',
  ENOSPC: 'no space left on the disk',
  EPERM: 'not permitted',
  EROFS: 'the disk is read-only',
};

export type FileBytes = { kind: 'bytes'; bytes: Buffer } | { kind: 'absent' } | { kind: 'unreadable'; reason: string };

/** A file that someone else writes: it may be missing, huge, a folder, or a pipe that no one ever writes to. */
export function readRegularFile(path: string, maxBytes: number): FileBytes {
  const unreadable = (reason: string): FileBytes => ({ kind: 'unreadable', reason });
  try {
    return withOpenFile(path, 0, (fd, stats) => {
      if (!stats.isFile()) return unreadable(stats.isDirectory() ? whyUnreadable['EISDIR']! : whyUnreadable['ENXIO']!);
      const bytes = readUpTo(fd, maxBytes + 1);
      if (bytes.length > maxBytes) return unreadable(`is larger than ${maxBytes / 1024 / 1024} MiB`);
      return { kind: 'bytes', bytes };
    });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? { kind: 'absent' } : unreadable(whyUnreadable[code] ?? `cannot be read: ${message}`);
  }
}

/** What is said of a file of someone else's, behind its name. */
export const whyUnreadable: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  ELOOP: 'cannot be read: its links form a loop',
  EISDIR: 'is a folder, not a file',
  ENXIO: 'is not a regular file',
};

/** The first bytes of a file, each as a character, so that one which is no text can be asked as well; of anything else, nothing. */
export function beginningOf(path: string, maxBytes: number): string {
  try {
    return withOpenFile(path, 0, (fd, stats) => (stats.isFile() ? readUpTo(fd, maxBytes).toString('latin1') : ''));
  } catch {
    return '';
  }
}

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
