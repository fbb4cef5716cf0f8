import { existsSync } from 'node:fs';
import { checkpointDigits } from '../model/words.ts';
import { commitTree, type Made } from './commit.ts';
import { type GitCall, git } from './git.ts';
import { whyNot } from './repository.ts';

const space = 'refs/hookloop';

/** A checkpoint's ref. Numbers have at least three digits. */
export const checkpointRef = (group: string, n: number): string => `${space}/${group}/${checkpointDigits(n)}`;

export const groupOf = (ref: string): string => ref.split('/')[2] ?? '';

interface CheckpointCommit {
  session: string;
  /** The session's folder: worktrees of one repository share its refs, and each may have a session of that name. */
  folder: string;
  n: number;
  tree: string;
  parent?: string | undefined;
  what: string;
  /** ISO. */
  at: string;
}

/** The commit of a checkpoint. It is on no branch, and by no one's name but ours. */
export const commitCheckpoint = (root: string, made: CheckpointCommit, call: GitCall): Promise<Made> =>
  commitTree(root, { tree: made.tree, parent: made.parent, message: messageOf(made), at: made.at }, call);

const messageOf = ({ session, folder, n, what }: CheckpointCommit): string =>
  `Checkpoint ${n} of ${session}: ${what}\n\n${sessionTrailer}: ${session}\n${folderTrailer}: ${folder}\n`;

const sessionTrailer = 'Hookloop-Session';
const folderTrailer = 'Hookloop-Folder';

/** Sets a ref, whatever it was before. Says why it cannot. */
export const setRef = async (root: string, ref: string, oid: string, call: GitCall): Promise<string | undefined> =>
  whyNot(await git(root, ['update-ref', '--no-deref', ref, oid], call));

/** Removes the refs of a group. Says why it cannot. */
export async function removeGroup(root: string, group: string, call: GitCall): Promise<string | undefined> {
  const listed = await git(root, ['for-each-ref', '--format=%(refname)', `${space}/${group}/`], call);
  if (listed.kind !== 'done') return listed.why;
  return deleteRefs(root, listed.text.split('\n').filter(Boolean), call);
}

async function deleteRefs(root: string, refs: readonly string[], call: GitCall): Promise<string | undefined> {
  if (refs.length === 0) return undefined;
  const input = refs.map(ref => `delete ${ref}\0\0`).join('');
  return whyNot(await git(root, ['update-ref', '--no-deref', '-z', '--stdin'], { ...call, input }));
}

/**
 * The group for the checkpoints of a session that has none yet: its name, or that with a number where a session of
 * another worktree has it. Refs of sessions that are gone from this project are removed on the way.
 */
export async function claimGroup(
  root: string,
  { name, folder, sessions }: { name: string; folder: string; sessions: string },
  call: GitCall,
): Promise<{ group: string } | { why: string }> {
  const format = `--format=%(refname)%09%(contents:trailers:key=${folderTrailer},valueonly,separator=%2C)`;
  const listed = await git(root, ['for-each-ref', format, `${space}/`], call);
  if (listed.kind !== 'done') return { why: listed.why };
  const all = listed.text.split('\n').flatMap(line => {
    const [ref = '', place = ''] = line.split('\t');
    return ref === '' ? [] : [{ ref, place }];
  });
  const isStale = ({ place }: { place: string }): boolean =>
    place === folder || (place.startsWith(`${sessions}/`) && !existsSync(place));
  const why = await deleteRefs(
    root,
    all.filter(isStale).map(({ ref }) => ref),
    call,
  );
  if (why !== undefined) return { why };
  const taken = new Set(all.filter(one => !isStale(one)).map(({ ref }) => groupOf(ref)));
  for (let nth = 1; ; nth += 1) {
    const group = nth === 1 ? name : `${name}-${nth}`;
    if (!taken.has(group)) return { group };
  }
}
