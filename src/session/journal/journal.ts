import { closeSync, constants, fdatasyncSync, fstatSync, fsyncSync, ftruncateSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf, syncFolder, writeFullySync } from '../../platform/files.ts';
import type { Entry } from './line.ts';
import { type Damage, type Scan, scanFile, type Torn } from './scan.ts';
import { FileJournal, type Journal } from './writer.ts';

export type Opened<R extends object> =
  | { kind: 'open'; journal: Journal<R>; entries: Entry<R>[]; cut?: Torn }
  | { kind: 'damaged'; damage: Damage }
  | { kind: 'unwritable'; reason: string };

export interface JournalOptions {
  now?: () => Date;
}

/** Opens or makes a journal for its one writer, who holds the session's lock. A torn last line is cut, damage is left alone. */
export function openJournal<R extends object>(path: string, options: JournalOptions = {}): Opened<R> {
  let fd: number | undefined;
  try {
    fd = openOrCreate(path);
    const scan = scanFile<R>(fd);
    if (scan.damage) {
      closeSync(fd);
      return { kind: 'damaged', damage: scan.damage };
    }
    // A project may have brought it along as a second name of any file of the user.
    if (fstatSync(fd).nlink > 1) throw new Error('it is a hard link: its file has another name as well');
    const end = mendEnd(fd, scan);
    const journal = new FileJournal<R>(fd, end, options.now ?? (() => new Date()));
    return { kind: 'open', journal, entries: scan.entries, ...(scan.torn && { cut: scan.torn }) };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    return { kind: 'unwritable', reason: reasonOf(error) };
  }
}

function openOrCreate(path: string): number {
  const fd = openExisting(path) ?? openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('it is not a file');
    // Also for an empty file that was there: its maker may have died before this.
    if (stat.size === 0) syncFolder(dirname(path));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Leaves the file ending behind its last whole entry, and all of it on disk before anything depends on what was read. */
function mendEnd<R extends object>(fd: number, scan: Scan<R>): { offset: number; seq: number } {
  if (scan.torn) {
    ftruncateSync(fd, scan.end.offset);
    fsyncSync(fd);
    return scan.end;
  }
  if (scan.unended) {
    const { entry, bytes } = scan.unended;
    writeFullySync(fd, Buffer.from('\n'), scan.end.offset + bytes);
    scan.entries.push(entry);
    scan.end = { offset: scan.end.offset + bytes + 1, seq: entry.seq };
  }
  if (scan.entries.length > 0) fdatasyncSync(fd);
  return scan.end;
}
