import { join, relative } from 'node:path';
import { shortHash } from '../platform/cache.ts';

/** Where the worktrees of a repository's forks are: outside every project. */
export const forksFolder = (state: string, commonFolder: string): string =>
  join(state, 'forks', shortHash(commonFolder));

/** The project in a worktree. */
export const forkRoot = (worktree: string, top: string, root: string): string => join(worktree, relative(top, root));
