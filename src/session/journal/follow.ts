import { type FSWatcher, statSync, watch } from 'node:fs';
import { reasonOf } from '../../platform/files.ts';
import type { Entry } from './line.ts';
import { scanPath } from './read.ts';
import type { Damage, Position } from './scan.ts';

export type Followed =
  | { kind: 'stopped' }
  | { kind: 'damaged'; damage: Damage }
  | { kind: 'unreadable'; reason: string };

export interface FollowOptions {
  /** How often the file is looked at where no notice comes. */
  pollMs?: number;
}

/** Hands over every entry there is and then each new one, in order, until the signal. Each is read once. */
export async function followJournal<R extends object>(
  path: string,
  onEntry: (entry: Entry<R>) => void | Promise<void>,
  signal: AbortSignal,
  { pollMs = 500 }: FollowOptions = {},
): Promise<Followed> {
  const changes = watchChanges(path, pollMs, signal);
  let seen: Look<R> = { state: '', position: { offset: 0, seq: 0 }, entries: [] };
  try {
    while (!signal.aborted) {
      const look = lookAt(path, seen);
      if ('kind' in look) return look;
      seen = look;
      for (const entry of look.entries) {
        if (signal.aborted) break;
        await onEntry(entry);
      }
      if (look.damage) return { kind: 'damaged', damage: look.damage };
      await changes.next();
    }
    return { kind: 'stopped' };
  } finally {
    changes.close();
  }
}

interface Look<R extends object> {
  state: string;
  position: Position;
  entries: Entry<R>[];
  damage?: Damage;
}

/** What is new since the last look. Half a line is not judged: its rest may be on the way, or it is taken back. */
function lookAt<R extends object>(path: string, last: Look<R>): Look<R> | Extract<Followed, { kind: 'unreadable' }> {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    const state = `${ino} ${size} ${mtimeNs}`;
    if (state === last.state) return { state, position: last.position, entries: [] };
    const { entries, end, damage } = scanPath<R>(path, last.position);
    return { state, position: end, entries, ...(damage && { damage }) };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
}

/** `next` settles at a change since it last settled, after the poll time, or at the signal. */
function watchChanges(path: string, pollMs: number, signal: AbortSignal): { next(): Promise<void>; close(): void } {
  let changed = false;
  let wake: (() => void) | undefined;
  const notice = (): void => {
    changed = true;
    wake?.();
  };
  const watcher = tryWatch(path, notice);
  signal.addEventListener('abort', notice);
  return {
    next: async () => {
      if (!changed && !signal.aborted)
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, pollMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      changed = false;
      wake = undefined;
    },
    close: () => {
      signal.removeEventListener('abort', notice);
      watcher?.close();
    },
  };
}

/** Some file systems and full watch tables give no notices; polling does then. */
function tryWatch(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
