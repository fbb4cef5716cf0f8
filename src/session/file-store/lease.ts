import type { SessionRecord } from '../../model/record.ts';
import type { FolderLock } from '../../platform/lock.ts';
import type { Held } from '../store.ts';
import { type FileJournal, JournalError } from './writer.ts';

/** So long the session may be someone else's before who writes nothing learns of it. */
const checkMs = 200;

/** A journal that takes nothing more once someone else has the session. */
export function leased(
  journal: FileJournal<SessionRecord>,
  lock: Extract<FolderLock, { kind: 'held' }>,
  { keepState, onCompleted }: { keepState(isLast: boolean): void; onCompleted(): void },
): Pick<Held, 'journal' | 'lease'> {
  const lost = new AbortController();
  // Before each entry: one that is written although someone else has the session would stand in the way of theirs.
  const isLost = (): boolean => {
    if (!lost.signal.aborted && !lock.isHeld()) lost.abort();
    return lost.signal.aborted;
  };
  const timer = setInterval(() => isLost() || keepState(false), checkMs).unref();
  let isCompleted = false;
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    clearInterval(timer);
    await journal.close();
    if (!lost.signal.aborted) keepState(true);
    // Nothing goes on any more that would need what it was begun with.
    if (isCompleted && !lost.signal.aborted) onCompleted();
    await lock.release();
  };
  return {
    journal: {
      append(record, when) {
        if (isLost()) return Promise.reject(new JournalError('another process has taken over this session'));
        isCompleted = record.kind === 'session.closed' && record.status === 'completed';
        return journal.append(record, when);
      },
    },
    lease: {
      lost: lost.signal,
      release() {
        released ??= release();
        return released;
      },
    },
  };
}
