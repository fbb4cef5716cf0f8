import { checkpointIndex } from '../loop/keep-checkpoint.ts';
import type { Checkpoint } from '../model/record.ts';
import type { KeptCheckpoint } from '../session/state/checkpoints.ts';
import { type Change, changedBetween } from '../workspace/changed.ts';
import { type GitCall, git } from '../workspace/git.ts';
import { findRepository } from '../workspace/repository.ts';
import { captureTree } from '../workspace/tree.ts';
import type { Context } from './context.ts';
import type { NamedSession } from './sessions.ts';

/** Why there is nothing to look at or to go back to. */
export type NoCheckpoint =
  | { kind: 'no-repository' | 'no-checkpoints' | 'failed'; why: string }
  | { kind: 'unknown'; n: number; last: number };

interface Checkpoints {
  kind: 'found';
  /** Of the repository. */
  top: string;
  all: readonly KeptCheckpoint[];
}

/** A session's checkpoints, where its project is still in the repository that has them. */
export async function checkpointsOf(
  { store, name, root }: NamedSession,
  { env }: Context,
): Promise<Checkpoints | NoCheckpoint> {
  const found = await findRepository(root, { env });
  if (found.kind === 'failed') return { kind: 'failed', why: found.why };
  if (found.kind === 'none')
    return { kind: 'no-repository', why: `${root} is not in a git repository, so there are no checkpoints` };
  const { state } = await store.state(name);
  const all = state.checkpoints;
  if (all.length === 0)
    return { kind: 'no-checkpoints', why: `session ${name} has no checkpoints: git kept none while it ran` };
  return { kind: 'found', top: found.repository.top, all };
}

/** The one with this number. */
export function checkpointAt(
  { all }: Checkpoints,
  n: number,
): KeptCheckpoint | Extract<NoCheckpoint, { kind: 'unknown' }> {
  return all.find(each => each.n === n) ?? { kind: 'unknown', n, last: all.at(-1)!.n };
}

export interface SessionDiff {
  kind: 'diff';
  from: Checkpoint;
  to: Checkpoint;
  files: readonly FileDiff[];
  /** As git prints it. */
  text: string;
}

interface FileDiff {
  path: string;
  status: Change['kind'];
  /** Absent for what is no text. */
  added?: number;
  removed?: number;
}

/** What a session has changed up to a checkpoint, or up to its last: what was there before the session is in neither. */
export async function diffSession(
  session: NamedSession,
  to: number | undefined,
  context: Context,
): Promise<SessionDiff | NoCheckpoint> {
  const found = await checkpointsOf(session, context);
  if (found.kind !== 'found') return found;
  const from = found.all[0]!;
  const last = found.all.findLast(({ beforeUndo }) => !beforeUndo) ?? from;
  const target = to === undefined ? last : checkpointAt(found, to);
  if ('kind' in target) return target;
  const call: GitCall = { env: context.env };
  const changed = await changedBetween(found.top, from.oid, target.oid, call);
  if (changed.kind === 'failed') return { kind: 'failed', why: goneText(changed.why) };
  const counted = await git(
    found.top,
    ['diff-tree', '-r', '-z', '--numstat', '--no-renames', from.oid, target.oid],
    call,
  );
  const patch = await git(found.top, ['diff-tree', ...patchOptions, from.oid, target.oid], call);
  if (patch.kind !== 'done' || counted.kind !== 'done')
    return { kind: 'failed', why: patch.kind === 'done' ? 'its lines cannot be counted' : patch.why };
  const counts = countsOf(counted.bytes);
  const files = changed.changes.map(({ path, bytes, kind }) => ({
    path,
    status: kind,
    ...counts.get(bytes.toString('latin1')),
  }));
  return { kind: 'diff', from, to: target, files, text: patch.bytes.toString() };
}

const patchOptions = ['-r', '-p', '--no-color', '--no-ext-diff', '--no-textconv', '--find-renames', '--no-commit-id'];

const goneText = (why: string): string => `the checkpoint is gone from the repository: ${why}`;

/** `3\t1\tpath`, or `-\t-\tpath` for what is no text. */
function countsOf(bytes: Buffer): Map<string, { added: number; removed: number }> {
  const rows = bytes.toString('latin1').split('\0');
  return new Map(
    rows.flatMap(row => {
      const [, added, removed, path] = /^(\d+)\t(\d+)\t(.*)$/s.exec(row) ?? [];
      return path === undefined ? [] : [[path, { added: Number(added), removed: Number(removed) }] as const];
    }),
  );
}

/** The working files as they are now, by the private index of a session that no one else has. */
export const presentFiles = (session: Pick<NamedSession, 'root' | 'folder'>, call: GitCall) =>
  captureTree(session.root, { ...call, index: checkpointIndex(session.folder) });
