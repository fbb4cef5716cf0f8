import { existsSync } from 'node:fs';
import { lockSession } from '../session/journal/lock.ts';
import { type Inspection, type Repaired, repairJournal } from '../session/journal/repair.ts';
import { whyLost } from '../session/lost.ts';
import type { SessionPaths } from '../session/paths.ts';

export type Damaged = Extract<Inspection<object>, { kind: 'damaged' }>;

/** `lost`: what is there is not the session's own journal, so there is nothing to keep a part of. */
export type JournalState = Inspection<object> | { kind: 'lost'; reason: string };

export function inspectJournal(paths: SessionPaths): JournalState {
  const found = repairJournal<object>(paths.journal).inspect();
  if (found.kind === 'damaged' || (found.kind === 'unreadable' && existsSync(paths.journal))) return found;
  const reason = whyLost(paths, found.kind === 'unreadable' ? undefined : found.kept[0]);
  return reason === undefined ? found : { kind: 'lost', reason };
}

export type GoodPartKept =
  | Repaired
  | { kind: 'busy'; pid: number; since: string }
  | { kind: 'declined' }
  | { kind: 'not-locked'; reason: string };

/** Cuts off what is behind the damage. The session is held while a person thinks: no one can go on with it anyway. */
export async function keepGoodPart(paths: SessionPaths, isAgreed: () => Promise<boolean>): Promise<GoodPartKept> {
  const lock = await lockSession(paths.folder).catch((error: Error) => error);
  if (lock instanceof Error) return { kind: 'not-locked', reason: lock.message };
  if (lock.kind === 'busy') return lock;
  try {
    return (await isAgreed()) ? repairJournal<object>(paths.journal).keepGood() : { kind: 'declined' };
  } finally {
    await lock.release();
  }
}
