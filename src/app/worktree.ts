import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withoutPrograms } from '../agents/listing.ts';
import type { SessionFiles } from '../session/paths.ts';

type Env = Readonly<Record<string, string>>;

/** Where a child of its own worktree works. */
export const worktreeFolder = (paths: SessionFiles): string => join(paths.folder, 'worktree');

/** Why a project can have no worktrees; undefined where it can. */
export async function whyNoWorktree(root: string, env: Env): Promise<string | undefined> {
  const head = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], env);
  if (head.kind === 'done') return undefined;
  return `isolate: worktree needs a git repository with a commit${head.text === '' ? '' : ` (${head.text})`}`;
}

/** Makes the worktree at the project's last commit, unless it is there. Says why it cannot. */
export async function makeWorktree(root: string, folder: string, env: Env): Promise<string | undefined> {
  if (existsSync(join(folder, '.git'))) return undefined;
  const added = await git(root, ['worktree', 'add', '--detach', '--force', folder, 'HEAD'], env);
  return added.kind === 'done' ? undefined : `git worktree add: ${added.text}`;
}

/** Removes a worktree in which nothing would be lost; else says what is in it. */
export async function leaveWorktree(root: string, folder: string, env: Env): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined;
  const kept = await whyKept(root, folder, env);
  if (kept !== undefined) return kept;
  const removed = await git(root, ['worktree', 'remove', folder], env);
  return removed.kind === 'done' ? undefined : removed.text;
}

async function whyKept(root: string, folder: string, env: Env): Promise<string | undefined> {
  const status = await git(folder, ['status', '--porcelain', '--untracked-files=all'], env);
  if (status.kind !== 'done') return status.text;
  if (status.text !== '') return 'it has changes that are not committed';
  const head = await git(folder, ['rev-parse', 'HEAD'], env);
  if (head.kind !== 'done') return head.text;
  // Commits that no branch has would be gone with the worktree.
  const known = await git(root, ['merge-base', '--is-ancestor', head.text, 'HEAD'], env);
  if (known.kind === 'done') return undefined;
  const refs = await git(root, ['for-each-ref', '--count=1', '--contains', head.text], env);
  return refs.kind === 'done' && refs.text !== '' ? undefined : 'it has commits that are on no branch';
}

/** Contract: never rejects. The environment is a child's, without the variables that point git elsewhere. */
const git = (cwd: string, args: readonly string[], env: Env): Promise<{ kind: 'done' | 'failed'; text: string }> =>
  new Promise(resolve => {
    const options = { cwd, env: { ...env, LC_ALL: 'C' }, maxBuffer: 16 * 1024 * 1024, timeout: 120_000 };
    execFile('git', [...withoutPrograms, ...args], options, (error, stdout, stderr) =>
      resolve(error ? { kind: 'failed', text: stderr.trim() || error.message } : { kind: 'done', text: stdout.trim() }),
    );
  });
