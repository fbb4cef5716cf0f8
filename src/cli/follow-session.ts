import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Followed, followJournal } from '../session/journal/follow.ts';
import type { Entry } from '../session/journal/line.ts';
import { holderOf } from '../session/journal/lock.ts';
import type { SessionFiles } from '../session/paths.ts';

export interface FollowSession {
  paths: SessionFiles;
  onEntry(entry: Entry<object>): void;
  /** Nobody works on the session, and its journal does not say that it ended: told each time this begins. */
  onDeserted(): void;
  signal: AbortSignal;
}

/** Hands over entries until the session's last word is that it ended. */
export async function followSession({ paths, onEntry, onDeserted, signal }: FollowSession): Promise<Followed> {
  const end = new AbortController();
  const watch = watchHolder(paths.folder, onDeserted);
  let isClosed = false;
  try {
    await journalOf(paths, signal);
    return await followJournal<object>(
      paths.journal,
      entry => {
        onEntry(entry);
        const { kind } = entry as { kind?: unknown };
        isClosed = kind === 'session.closed' || (isClosed && kind !== 'session.resumed');
        // All entries there are come before this: one of them may say that the session goes on.
        if (isClosed) setImmediate(() => isClosed && end.abort());
      },
      AbortSignal.any([signal, end.signal]),
    );
  } finally {
    clearInterval(watch);
  }
}

/** A session that is just starting has none yet. */
async function journalOf({ journal }: SessionFiles, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !existsSync(journal)) await delay(100, undefined, { signal }).catch(() => {});
}

const lookMs = 1000;

/** Two looks in a row: a session changes hands in less. */
function watchHolder(folder: string, onDeserted: () => void): NodeJS.Timeout {
  let misses = 0;
  return setInterval(() => {
    misses = holderOf(folder) ? 0 : misses + 1;
    if (misses === 2) onDeserted();
  }, lookMs);
}
