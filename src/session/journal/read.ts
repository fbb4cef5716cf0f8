import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
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

export type Streamed =
  | { kind: 'read'; entries: number }
  | { kind: 'damaged'; damage: Damage }
  | { kind: 'unreadable'; reason: string };

/** Hands over every entry of a journal, one at a time, so that a large one takes no more memory than a small one. Writes nothing. */
export function streamJournal(path: string, onEntry: (entry: Entry<object>) => void): Streamed {
  try {
    if (!statSync(path).isFile()) return { kind: 'unreadable', reason: 'it is not a file' };
    return judgeRest(path, readGoodLines(path, onEntry), onEntry);
  } catch (error) {
    // Only what the file system says is expected here.
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

const chunkBytes = 1024 * 1024;

/** Stops before the first line that is not whole and good. */
function readGoodLines(path: string, onEntry: (entry: Entry<object>) => void): Position {
  const end: Position = { offset: 0, seq: 0 };
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let rest: Buffer[] = [];
    for (let position = 0; ; ) {
      const length = readSync(fd, chunk, 0, chunkBytes, position);
      if (length === 0) return end;
      position += length;
      const read = chunk.subarray(0, length);
      if (!read.includes(0x0a)) {
        rest.push(Buffer.from(read));
        continue;
      }
      const bytes = rest.length > 0 ? Buffer.concat([...rest, read]) : read;
      let start = 0;
      for (let newline = bytes.indexOf(0x0a); newline !== -1; newline = bytes.indexOf(0x0a, start)) {
        const entry = decodeLine<object>(bytes.subarray(start, newline));
        if (typeof entry === 'string' || entry.seq !== end.seq + 1) return end;
        onEntry(entry);
        end.offset += newline + 1 - start;
        end.seq = entry.seq;
        start = newline + 1;
      }
      rest = start < bytes.length ? [Buffer.from(bytes.subarray(start))] : [];
    }
  } finally {
    closeSync(fd);
  }
}

/** What follows the good lines: nothing, an end that is being written, or damage. The journal's own reader says which. */
function judgeRest(path: string, end: Position, onEntry: (entry: Entry<object>) => void): Streamed {
  const { entries, unended, damage } = scanPath<object>(path, end);
  for (const entry of entries) onEntry(entry);
  if (damage) return { kind: 'damaged', damage };
  if (unended) onEntry(unended.entry);
  return { kind: 'read', entries: end.seq + entries.length + (unended ? 1 : 0) };
}
