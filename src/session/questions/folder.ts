import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { stateFolder } from '../../platform/folders.ts';
import { syncFolder } from '../journal/disk.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** All approvals of the user, one folder each; undefined where the user has no home. */
export function approvalsFolder(env: Env): string | undefined {
  const state = stateFolder(env['HOME'] ? env : { ...env, HOME: homedir() });
  return state && join(state, 'approvals');
}

/** Only the user may enter it, and it is still there after a power loss. */
export function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return;
  makePrivateFolder(dirname(folder));
  try {
    // Not `recursive`: on file systems that refuse new folders with ENOENT, Node then never comes back.
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  syncFolder(dirname(folder));
}
