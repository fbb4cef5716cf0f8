import { join, relative } from 'node:path';
import { shortHash } from '../platform/cache.ts';
import { stateFolder } from '../platform/folders.ts';
import { findRepository } from '../workspace/repository.ts';
import type { Env } from './context.ts';

/** Where the worktrees of a repository's forks are: outside every project. */
interface ForkPlace {
  folder: string;
  /** Of the repository. */
  top: string;
}

/** The place for the forks of a project, or why there is none. */
export async function forkPlace(root: string, env: Env): Promise<ForkPlace | { why: string }> {
  const state = stateFolder(env);
  if (state === undefined) return { why: 'HOME is not set, so there is no place for its worktree' };
  const found = await findRepository(root, { env });
  if (found.kind !== 'repository') return { why: found.why };
  const { commonFolder, top } = found.repository;
  return { folder: join(state, 'forks', shortHash(commonFolder)), top };
}

/** The project in a worktree. */
export const forkRoot = (worktree: string, top: string, root: string): string => join(worktree, relative(top, root));
