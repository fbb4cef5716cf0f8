import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { reasonOf } from '../../platform/files.ts';
import { decodeLine, type Entry } from './line.ts';
import { type Damage, type Position, type Scan, scanFile, type Torn } from './scan.ts';

export type Reading<R extends object> =
  | { kind: 'read'; entries: Entry<R>[]; unfinished?: Torn }
  | { kind: 'damaged'; damage: Damage; entries: Entry<R>[]; later: Entry<R>[] }
  | { kind: 'unreadable'; reason: string };

/** Reads a journal and writes nothing; its writer may be at work. An unfinished last line is left out. */
export function readJournal<R extends object>(path: string): Reading<R> {
  try {
    const { entries, unended, torn, damage, later } = scanPath<R>(path);
    if (damage) return { kind: 'damaged', damage, entries, later };
    if (unended) entries.push(unended.entry);
    return { kind: 'read', entries, ...(torn && { unfinished: torn }) };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

/** How a journal begins, without reading the rest; undefined where its first line is not whole and good. */
export function readFirst<R extends object>(path: string): Entry<R> | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const entry = fstatSync(fd).isFile() ? decodeLine<R>(firstLine(fd)) : '';
      return typeof entry === 'string' ? undefined : entry;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function firstLine(fd: number): Buffer {
  const chunks: Buffer[] = [];
  for (let position = 0; ; ) {
    const chunk = Buffer.alloc(64 * 1024);
    const length = readSync(fd, chunk, 0, chunk.length, position);
    const end = chunk.subarray(0, length).indexOf(0x0a);
    chunks.push(chunk.subarray(0, end === -1 ? length : end));
    if (end !== -1 || length === 0) return Buffer.concat(chunks);
    position += length;
  }
}

/** Throws what the file system says. */
export function scanPath<R extends object>(path: string, from?: Position): Scan<R> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a file');
    const scan = scanFile<R>(fd, from);
    // A writer that took back a failed write while we read makes two halves look like one bad line. Once is enough.
    return scan.damage ? scanFile<R>(fd, from) : scan;
  } finally {
    closeSync(fd);
  }
}
