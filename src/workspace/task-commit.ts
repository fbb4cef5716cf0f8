import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Change, changedBetween, changedTree, putInIndex } from './changed.ts';
import { ownIdentity } from './commit.ts';
import { type GitCall, git, withIndex } from './git.ts';
import { readHead } from './repository.ts';
import { removeIndex } from './tree.ts';

interface TaskCommit {
  /** The files before the session, and as they are now. */
  base: string;
  present: string;
  /** The commit that was checked out before the session, where there was one. */
  head?: string | undefined;
  /** What the user had staged before the session: it stays staged and out. One character a byte. */
  staged: readonly string[];
  message: string;
  /** A private index that no one else uses. */
  index: string;
}

export type Committed =
  /**
   * `leftOut`: changed in the session, and staged by the user before. `mixed`: what the user had changed in them is committed
   * with it. `behind`: why the user's index does not know of it.
   */
  | { kind: 'committed'; oid: string; leftOut: readonly string[]; mixed?: readonly string[]; behind?: string }
  | { kind: 'nothing'; leftOut: readonly string[] }
  /** A hook of the repository, or git itself, says no. */
  | { kind: 'refused'; why: string }
  | { kind: 'failed'; why: string };

/** Hooks of the repository may run its tests. */
const timeoutMs = 600_000;

/** Commits what a session has changed, with the repository's own hooks, and nothing else that is in the user's index or files. */
export async function commitWork(top: string, work: TaskCommit, call: GitCall): Promise<Committed> {
  const found = await changedBetween(top, work.base, work.present, call);
  if (found.kind === 'failed') return found;
  const staged = new Set(work.staged);
  const isOut = ({ bytes }: Change): boolean => staged.has(bytes.toString('latin1'));
  const leftOut = found.changes.filter(isOut).map(({ path }) => path);
  const changes = found.changes.filter(change => !isOut(change));
  const before = (await readHead(top, call)).commit;
  const inIndex = withIndex(call, work.index);
  try {
    mkdirSync(dirname(work.index), { recursive: true });
    const filled = await git(top, ['read-tree', before ?? '--empty'], inIndex);
    if (filled.kind !== 'done') return { kind: 'failed', why: filled.why };
    const tree = await changedTree(top, changes, inIndex);
    if (tree.kind === 'failed') return tree;
    const news =
      before === undefined ? { kind: 'changes' as const, changes } : await changedBetween(top, before, tree.tree, call);
    if (news.kind === 'failed') return news;
    if (news.changes.length === 0) return { kind: 'nothing', leftOut };
    const mixed = await mixedPaths(top, work, news.changes, call);
    const lock = await indexLock(top, call);
    if (lock !== undefined) return { kind: 'failed', why: `another git is at work, or has left ${lock} behind` };
    const made = await git(top, ['commit', '--quiet', '--no-status', '--cleanup=whitespace', '-F', '-'], {
      ...inIndex,
      variables: { ...inIndex.variables, ...(await identity(top, call)), GIT_EDITOR: 'true' },
      ...{ input: work.message, timeoutMs, deadlineMs: undefined, withPrograms: true },
    });
    if (made.kind === 'refused') return { kind: 'refused', why: [made.text, made.why].filter(Boolean).join('\n') };
    if (made.kind === 'failed') return made;
    const why = await followHead(top, before, work.staged, call);
    const { commit: oid } = await readHead(top, call);
    if (oid === undefined) return { kind: 'failed', why: 'HEAD is gone' };
    return { kind: 'committed', oid, leftOut, mixed, ...(why !== undefined && { behind: why }) };
  } finally {
    removeIndex(work.index);
  }
}

/** Files that the user had changed and not committed before the session, and that are committed now for the first time. */
async function mixedPaths(
  top: string,
  { base, head }: TaskCommit,
  news: readonly Change[],
  call: GitCall,
): Promise<string[]> {
  const dirty = head === undefined ? undefined : await changedBetween(top, head, base, call);
  if (dirty?.kind !== 'changes') return [];
  const then = new Map(dirty.changes.map(({ bytes, before }) => [bytes.toString('latin1'), before?.oid ?? '']));
  return news
    .filter(({ bytes, before }) => then.get(bytes.toString('latin1')) === (before?.oid ?? ''))
    .map(({ path }) => path);
}

/** Who commits is the user, where git knows who that is. */
async function identity(top: string, call: GitCall): Promise<Record<string, string>> {
  const known = await git(top, ['var', 'GIT_COMMITTER_IDENT'], call);
  return known.kind === 'done' ? {} : ownIdentity;
}

/** The user's index learns of what is committed now, as after a commit of their own; what they had staged stays. */
export async function followHead(
  top: string,
  before: string | undefined,
  staged: readonly string[],
  call: GitCall,
): Promise<string | undefined> {
  const empty = before === undefined ? await git(top, ['mktree'], { ...call, input: '' }) : undefined;
  const from = before ?? (empty?.kind === 'done' ? empty.text : undefined);
  if (from === undefined) return 'the empty tree cannot be made';
  const changed = await changedBetween(top, from, 'HEAD', call);
  if (changed.kind === 'failed') return changed.why;
  const mine = new Set(staged);
  const rows = changed.changes.filter(({ bytes }) => !mine.has(bytes.toString('latin1')));
  await indexLock(top, call);
  const why = await putInIndex(top, rows, call);
  if (why !== undefined) return why;
  await git(top, ['update-index', '-q', '--refresh'], call);
  return undefined;
}

/** Waits until no other git holds the user's index: mostly that takes a moment. Gives the lock where it stays. */
async function indexLock(top: string, call: GitCall): Promise<string | undefined> {
  const index = await git(top, ['rev-parse', '--path-format=absolute', '--git-path', 'index'], call);
  if (index.kind !== 'done') return undefined;
  const lock = `${index.text}.lock`;
  const until = performance.now() + lockMs;
  while (existsSync(lock)) {
    if (performance.now() > until || call.stop?.aborted) return lock;
    await delay(lockStepMs);
  }
  return undefined;
}

const lockMs = 3000;
const lockStepMs = 50;

/** What is staged just now, one character a byte. */
export async function stagedPaths(top: string, call: GitCall): Promise<string[] | { why: string }> {
  const head = (await readHead(top, call)).commit;
  const args =
    head === undefined ? ['ls-files', '-z'] : ['diff-index', '--cached', '--name-only', '--no-renames', '-z', head];
  const answer = await git(top, args, call);
  return answer.kind === 'done' ? answer.bytes.toString('latin1').split('\0').filter(Boolean) : { why: answer.why };
}

/** Why there can be no commit just now that is only ours; undefined where there can. */
export async function whyNoCommit(top: string, call: GitCall): Promise<string | undefined> {
  if ((await readHead(top, call)).branch === undefined) return 'HEAD is on no branch';
  const folder = await git(top, ['rev-parse', '--path-format=absolute', '--git-dir'], call);
  if (folder.kind !== 'done') return folder.why;
  const found = Object.entries(underWay).find(([name]) => existsSync(join(folder.text, name)));
  return found && `${found[1]} is in progress`;
}

const underWay: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
};

/** The last commit, where it has these trailers: a crash may have come between it and the record of it. */
export async function lastCommitWith(
  top: string,
  trailers: readonly string[],
  call: GitCall,
): Promise<{ oid: string; parent: string | undefined } | undefined> {
  const answer = await git(top, ['log', '-1', '--format=%H %P%n%B', 'HEAD'], call);
  if (answer.kind !== 'done') return undefined;
  const [head = '', ...lines] = answer.text.split('\n');
  const [oid, parent] = head.split(' ');
  return oid && trailers.every(trailer => lines.includes(trailer)) ? { oid, parent: parent || undefined } : undefined;
}
