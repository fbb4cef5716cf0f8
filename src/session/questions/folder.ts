import { homedir } from 'node:os';
import { join } from 'node:path';
import { stateFolder } from '../../platform/folders.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** All approvals of the user, one folder each; undefined where the user has no home. */
export function approvalsFolder(env: Env): string | undefined {
  const state = stateFolder(env['HOME'] ? env : { ...env, HOME: homedir() });
  return state && join(state, 'approvals');
}
