import { reasonOf } from '../../platform/files.ts';
import { type FolderLock, lockFolder } from '../../platform/lock.ts';
import { JournalError } from './disk.ts';

export type SessionLock = FolderLock;

/** One holder per session folder. Contract: rejects with a JournalError where the folder takes no file. */
export async function lockSession(folder: string): Promise<SessionLock> {
  try {
    return await lockFolder(folder);
  } catch (error) {
    throw new JournalError(`its folder cannot be locked: ${reasonOf(error)}`, { cause: error });
  }
}
