import { dirname, join } from 'node:path';
import { given } from '../model/json.ts';
import type { Checkpoint, SessionRecord } from '../model/record.ts';
import { checkpointRef, claimGroup, commitCheckpoint, groupOf, setRef } from '../workspace/checkpoint-refs.ts';
import type { GitCall } from '../workspace/git.ts';
import type { Head } from '../workspace/repository.ts';

/** The private index of a session's checkpoints, in its folder. */
export const checkpointIndex = (folder: string): string => join(folder, 'checkpoints', 'index');

/** Whose checkpoint it is: a session, its folder, and its project's. */
interface Owner {
  name: string;
  folder: string;
  root: string;
}

interface Kept extends Pick<Checkpoint, 'tree' | 'what' | 'beforeUndo'> {
  /** The session's last one. */
  before: Checkpoint | undefined;
  head: Head;
  key?: string | undefined;
}

/** Makes a tree the next checkpoint of a session: its commit, then its record, then its ref. Says why it cannot. */
export async function keepCheckpoint(
  { name, folder, root }: Owner,
  { before, tree, what, head, key, beforeUndo }: Kept,
  write: (record: SessionRecord) => Promise<unknown>,
  call: GitCall,
): Promise<string | undefined> {
  const group = before
    ? { group: groupOf(before.ref) }
    : await claimGroup(root, { name, folder, sessions: dirname(folder) }, call);
  if ('why' in group) return group.why;
  const n = before ? before.n + 1 : 0;
  const made = { session: name, folder, n, tree, parent: before?.oid, what, at: new Date().toISOString() };
  // Iterations often change nothing beyond what their task's checkpoint has.
  const commit =
    before?.tree === tree ? { kind: 'made' as const, oid: before.oid } : await commitCheckpoint(root, made, call);
  if (commit.kind === 'failed') return commit.why;
  const { oid } = commit;
  const ref = checkpointRef(group.group, n);
  await write({
    ...{ kind: 'checkpoint.made', n, oid, tree, ref, what },
    ...given({ key, branch: head.branch, head: head.commit, beforeUndo }),
  });
  return setRef(root, ref, oid, call);
}
