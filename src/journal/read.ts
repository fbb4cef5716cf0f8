import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { reasonOf } from './disk.ts';
import type { Entry } from './line.ts';
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

/** Throws what the file system says. */
export function scanPath<R extends object>(path: string, from?: Position): Scan<R> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is not a file');
    const scan = scanFile<R>(fd, from);
    // A writer that took back a failed write while we read makes two halves look like one bad line. Once is enough.
    return scan.damage ? scanFile<R>(fd, from) : scan;
  } finally {
    closeSync(fd);
  }
}
