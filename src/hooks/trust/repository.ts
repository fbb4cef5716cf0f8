import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** What a project's trust belongs to. */
export interface Repository {
  /** The git folder that all worktrees share, else the root; a real path. */
  key: string;
  /** The project's root; a real path. */
  root: string;
}

/** Finds the repository of a root without running git. Contract: never throws. */
export function repositoryOf(folder: string): Repository {
  const root = realOr(folder);
  return { key: commonFolder(root) ?? root, root };
}

/**
 * A link, a folder that borrows another one (`commondir`) or a file that points elsewhere may come with a copied project:
 * they count only where the repository they name knows this very worktree.
 */
function commonFolder(root: string): string | undefined {
  const path = join(root, '.git');
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (stats.isDirectory()) return isBorrowing(path) ? undefined : path;
    return stats.isFile() && stats.size <= maxPointerBytes ? worktreeOwner(path, root) : undefined;
  } catch {
    return undefined;
  }
}

const maxPointerBytes = 16 * 1024;

const isBorrowing = (folder: string): boolean =>
  lstatSync(join(folder, 'commondir'), { throwIfNoEntry: false }) !== undefined;

function worktreeOwner(path: string, root: string): string | undefined {
  const pointer = /^gitdir: ([^\n]+)\n*$/.exec(readFileSync(path, 'utf8'))?.[1];
  if (pointer === undefined) return undefined;
  const own = realpathSync.native(resolve(root, pointer));
  const common = realpathSync.native(resolve(own, lineOf(join(own, 'commondir'))));
  const isRegistered = dirname(own) === join(common, 'worktrees') && basename(own) !== '';
  const back = resolve(own, lineOf(join(own, 'gitdir')));
  return isRegistered && realpathSync.native(dirname(back)) === root && basename(back) === '.git' ? common : undefined;
}

const lineOf = (path: string): string => readFileSync(path, 'utf8').replace(/\n+$/, '');

function realOr(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return resolve(folder);
  }
}
