import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commitTree } from './commit.ts';
import { type GitCall, git } from './git.ts';
import { whyNot } from './repository.ts';

type Env = Readonly<Record<string, string>>;

/** A checkout of a large repository may take its time. */
const timeoutMs = 120_000;

interface WorktreeOptions extends GitCall {
  /** The commit that HEAD of the worktree stays at, detached; the files that differ from it are not committed there. Else a commit of the tree alone. */
  head?: string | undefined;
}

/** Makes a worktree with the files of a tree, in a folder that is not there yet. Says why it cannot; then nothing is left of it. */
export async function addWorktree(
  root: string,
  tree: string,
  folder: string,
  options: WorktreeOptions = {},
): Promise<string | undefined> {
  const { head, ...given } = options;
  const call = { timeoutMs, ...given };
  const made =
    head === undefined
      ? await commitTree(root, { tree, message: 'A tree', at: new Date(0).toISOString() }, call)
      : { kind: 'made' as const, oid: head };
  if (made.kind === 'failed') return made.why;
  const steps: (readonly [string, readonly string[]])[] = [
    [root, ['worktree', 'add', '--quiet', '--detach', '--no-checkout', folder, made.oid]],
    [folder, ['-c', 'core.sparseCheckout=false', 'read-tree', '--reset', '-u', tree]],
    ...(head === undefined ? [] : [[folder, ['reset', '--quiet', '--mixed']] as const]),
  ];
  for (const [cwd, args] of steps) {
    const why = whyNot(await git(cwd, args, call));
    if (why === undefined) continue;
    await removeWorktree(root, folder, given);
    return `git ${args[0]}: ${why}`;
  }
  return undefined;
}

/** Removes a worktree with everything in it. Says why it cannot. */
export async function removeWorktree(root: string, folder: string, call: GitCall = {}): Promise<string | undefined> {
  // Twice: also one that someone has locked.
  const removed = await git(root, ['worktree', 'remove', '--force', '--force', folder], { timeoutMs, ...call });
  if (removed.kind === 'done') return undefined;
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return whyNot(await git(root, ['worktree', 'prune'], call));
}

/** Why a project can have no worktrees; undefined where it can. */
export async function whyNoWorktree(root: string, env: Env): Promise<string | undefined> {
  const head = await git(root, ['rev-parse', '--verify', 'HEAD^{commit}'], { env });
  return head.kind === 'done' ? undefined : `isolate: worktree needs a git repository with a commit (${head.why})`;
}

/** Makes the worktree at the project's last commit, unless it is there. Says why it cannot. */
export async function makeWorktree(root: string, folder: string, env: Env): Promise<string | undefined> {
  if (existsSync(join(folder, '.git'))) return undefined;
  const why = whyNot(await git(root, ['worktree', 'add', '--detach', '--force', folder, 'HEAD'], { env, timeoutMs }));
  return why === undefined ? undefined : `git worktree add: ${why}`;
}

/** Removes a worktree in which nothing would be lost; else says what is in it. */
export async function leaveWorktree(root: string, folder: string, env: Env): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined;
  const kept = await whyKept(root, folder, env);
  if (kept !== undefined) return kept;
  return whyNot(await git(root, ['worktree', 'remove', folder], { env, timeoutMs }));
}

async function whyKept(root: string, folder: string, env: Env): Promise<string | undefined> {
  const status = await git(folder, ['status', '--porcelain', '--untracked-files=all'], { env });
  if (status.kind !== 'done') return status.why;
  if (status.text !== '') return 'it has changes that are not committed';
  const head = await git(folder, ['rev-parse', 'HEAD'], { env });
  if (head.kind !== 'done') return head.why;
  // Commits that no branch has would be gone with the worktree.
  const known = await git(root, ['merge-base', '--is-ancestor', head.text, 'HEAD'], { env });
  if (known.kind === 'done') return undefined;
  const refs = await git(root, ['for-each-ref', '--count=1', '--contains', head.text], { env });
  return refs.kind === 'done' && refs.text !== '' ? undefined : 'it has commits that are on no branch';
}
