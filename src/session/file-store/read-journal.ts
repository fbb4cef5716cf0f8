import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import type { Entry } from '../../model/record.ts';
import { reasonOf } from '../../platform/files.ts';
import { createBell, watchPath } from '../../platform/watch.ts';
import type { Damage, Inspection } from '../store.ts';
import { beginning, decodeLine, linesOf, type OnLine, type Position, type Scan, scanFile } from './journal-lines.ts';

export type Unread = { kind: 'damaged'; damage: Damage } | { kind: 'unreadable'; reason: string };

/** Hands over every entry of a journal, one at a time. Writes nothing; its writer may be at work. An unfinished last line is left out. */
export function streamJournal(
  path: string,
  onEntry: (entry: Entry<object>) => void,
  from?: Position,
): { kind: 'read' } | Unread {
  return orUnreadable(() => {
    const { unended, damage } = scanPath(path, onEntry, from);
    if (damage) return { kind: 'damaged', damage };
    if (unended) onEntry(unended.entry);
    return { kind: 'read' };
  });
}

/** Only what the file system says is expected. */
export function orUnreadable<T>(read: () => T): T | Extract<Unread, { kind: 'unreadable' }> {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

/** What is in a journal, and what is wrong with it. Writes nothing. */
export function inspectJournal<R extends object>(path: string): Inspection<R> {
  try {
    const kept: Entry<R>[] = [];
    const { unended, torn, damage, later } = scanPath<R>(path, entry => kept.push(entry));
    if (damage) return { kind: 'damaged', damage, kept, lost: later };
    if (unended) kept.push(unended.entry);
    return torn ? { kind: 'torn', torn, kept } : { kind: 'whole', kept };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

/** How a journal begins, without reading the rest; undefined where its first line is not whole and good. */
export function readFirst<R extends object>(path: string): Entry<R> | undefined {
  try {
    return withFile(path, fd => {
      const [line] = linesOf(fd);
      const entry = line ? decodeLine<R>(line.bytes) : '';
      return typeof entry === 'string' ? undefined : entry;
    });
  } catch {
    return undefined;
  }
}

/** Throws what the file system says. */
export const scanPath = <R extends object>(path: string, onEntry: OnLine<R>, from?: Position): Scan<R> =>
  withFile(path, fd => scanOpened(fd, onEntry, from));

export function scanOpened<R extends object>(fd: number, onEntry: OnLine<R>, from?: Position): Scan<R> {
  const scan = scanFile<R>(fd, onEntry, from);
  // A writer that took back a failed write while we read makes two halves look like one bad line. Once is enough.
  return scan.damage ? scanFile<R>(fd, onEntry, scan.end) : scan;
}

export function withFile<T>(path: string, read: (fd: number) => T): T {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!fstatSync(fd).isFile()) throw Object.assign(new Error('it is not a file'), { syscall: 'open' });
    return read(fd);
  } finally {
    closeSync(fd);
  }
}

/** Hands over every entry there is and then each new one, in order, until the signal. Each is read once. */
export async function followJournal<R extends object>(
  path: string,
  onEntry: (entry: Entry<R>) => void,
  signal: AbortSignal,
  from = beginning,
  /** How often the file is looked at where no notice comes. */
  pollMs = 500,
): Promise<{ kind: 'stopped' } | Unread> {
  const { ring, rung } = createBell();
  const unwatch = watchPath(path, ring);
  signal.addEventListener('abort', ring);
  const unlessOver = (entry: Entry<R>): void => {
    if (!signal.aborted) onEntry(entry);
  };
  let [version, end] = ['', from];
  const readNew = (): Unread | undefined => {
    const now = versionOf(path);
    if (now === version) return undefined;
    // Half a line is not judged: its rest may be on the way, or it is taken back.
    const scan = scanPath(path, unlessOver, end);
    [version, end] = [now, scan.end];
    return scan.damage && { kind: 'damaged', damage: scan.damage };
  };
  try {
    while (!signal.aborted) {
      const ended = orUnreadable(readNew);
      if (ended) return ended;
      await rung(pollMs);
    }
    return { kind: 'stopped' };
  } finally {
    unwatch();
    signal.removeEventListener('abort', ring);
  }
}

function versionOf(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
