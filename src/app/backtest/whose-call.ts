import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryOf } from '../../hooks/trust/trust-store.ts';
import { isWithin, realPath, withFoldersAbove } from '../../platform/folders.ts';

/** The root that files of a call made in a folder are named from; undefined where the call is not to be looked at. */
type RootOfCall = (cwd: string | undefined) => string | undefined;

/** Calls in or under a project's root, and in other worktrees of its repository; with `all` every one. */
export function createRootOfCall(root: string, all: boolean): RootOfCall {
  const real = realPath(root);
  const { key } = repositoryOf(root);
  const known = new Map<string, string | undefined>();
  const find = (cwd: string): string | undefined => {
    const folder = realPath(cwd);
    const top = withFoldersAbove(folder).find(each => each === real || hasGit(each));
    if (top === real) return root;
    const isSame = top !== undefined && repositoryOf(top).key === key;
    if (isSame || all) return top ?? cwd;
    return isWithin(folder, real) ? root : undefined;
  };
  return cwd => {
    if (!cwd?.startsWith('/')) return all ? root : undefined;
    if (!known.has(cwd)) known.set(cwd, find(cwd));
    return known.get(cwd);
  };
}

const hasGit = (folder: string): boolean => lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
