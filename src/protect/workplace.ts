import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shortHash } from '../platform/cache.ts';
import { ownIdentity, processStartTime } from '../platform/processes.ts';
import type { GitCall } from '../workspace/git.ts';
import { readHead } from '../workspace/repository.ts';
import { addWorktree, removeWorktree } from '../workspace/worktree.ts';

/** The folder of a project's clean worktrees, in the user's state folder. */
export const workplacesOf = (state: string, root: string): string => join(state, 'worktrees', shortHash(root));

let count = 0;

/** Where the next one may lie: its name says who made it, so that others know when it is left over. */
export function newWorkplace(folder: string): string {
  const { pid, startTime } = ownIdentity();
  count += 1;
  return join(folder, `${pid}-${shortHash(startTime)}-${count}`);
}

/** Makes a worktree of a tree. Says why it cannot. */
export async function makeWorkplace(
  top: string,
  tree: string,
  workplace: string,
  call: GitCall,
): Promise<string | undefined> {
  mkdirSync(dirname(workplace), { recursive: true, mode: 0o700 });
  const { commit } = await readHead(top, call);
  return addWorktree(top, tree, workplace, { ...call, head: commit });
}

/** Links to what the project shares, where the tree has nothing of that name. */
export function shareInto(project: string, there: string, share: readonly string[]): void {
  for (const path of share) {
    const [from, to] = [join(project, path), join(there, path)];
    if (!existsSync(from) || lstatSync(to, { throwIfNoEntry: false })) continue;
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
  }
}

const weekMs = 7 * 24 * 60 * 60 * 1000;

/** Removes those whose maker is gone, and indexes that no one has used for long. Contract: never rejects. */
export async function removeLeftWorkplaces(folder: string, top: string, call: GitCall = {}): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (name.startsWith('index-') && Date.now() - (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > weekMs)
      rmSync(file, { force: true });
    const [, pid, maker, kind] = /^(\d+)-([0-9a-f]+)-\d+(\.index)?/.exec(name) ?? [];
    if (pid === undefined || maker === shortHash(processStartTime(Number(pid)) ?? '')) continue;
    if (kind === undefined) await removeWorktree(top, file, call);
    else rmSync(file, { force: true });
  }
}
