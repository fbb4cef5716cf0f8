import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf, syncFolder } from '../../platform/files.ts';
import type { Repaired } from '../store.ts';
import { scanPath } from './read-journal.ts';

/** For the holder of the session's lock. The original stays beside the journal, whatever happens in between. */
export function keepGoodEntries(path: string): Repaired {
  try {
    return keepGood(path);
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

function keepGood(path: string): Repaired {
  const { end, damage } = scanPath(path, () => {});
  if (!damage) return { kind: 'nothing-to-do' };
  const fresh = `${path}.repair`;
  // Left by a repair that was killed.
  rmSync(fresh, { force: true });
  copyBeginning(path, fresh, end.offset);
  const original = `${path}.damaged-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
  keepAs(path, original);
  renameSync(fresh, path);
  syncFolder(dirname(path));
  return { kind: 'repaired', keptEntries: end.seq, original };
}

function copyBeginning(from: string, to: string, length: number): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  const target = openSync(to, 'r+');
  try {
    if (fstatSync(target).size < length) throw new Error('the file became shorter while it was read');
    ftruncateSync(target, length);
    fchmodSync(target, 0o600);
    fsyncSync(target);
  } finally {
    closeSync(target);
  }
}

/** A second name rather than a rename, so that at no moment there is no journal. */
function keepAs(path: string, original: string): void {
  try {
    linkSync(path, original);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    copyFileSync(path, original);
    const fd = openSync(original, 'r+');
    fsyncSync(fd);
    closeSync(fd);
  }
}
