import { copyFileSync, lstatSync, readdirSync } from 'node:fs';
import { type Change, changedBetween, changedTree } from './changed.ts';
import { type GitCall, git, withIndex } from './git.ts';
import { whyNot } from './repository.ts';
import { forgetSeed, removeIndex } from './tree.ts';

/** What going from one tree of working files to another would do. */
export interface RestorePlan {
  changes: readonly Change[];
  /** What stays as it is, and why. */
  left: readonly { path: string; why: string }[];
}

/** Finds out what would be written and removed; what is ignored now is never touched. */
export async function planRestore(
  top: string,
  { present, target }: { present: string; target: string },
  call: GitCall = {},
): Promise<({ kind: 'plan' } & RestorePlan) | { kind: 'failed'; why: string }> {
  const found = await changedBetween(top, present, target, call);
  if (found.kind === 'failed') return found;
  const removed = new Set(found.changes.filter(({ kind }) => kind === 'removed').map(({ bytes }) => nameOf(bytes)));
  const changes: Change[] = [];
  const left: { path: string; why: string }[] = [];
  for (const change of found.changes) {
    const why = whyLeft(top, change, removed);
    if (why === undefined) changes.push(change);
    else left.push({ path: change.path, why });
  }
  return { kind: 'plan', changes, left };
}

/**
 * Writes the files of a plan, and only those. Contract: `index` is the private one that has just given `present`. Says
 * why it cannot; git looks first whether any of the files has changed since, and then writes none.
 */
export async function restore(
  top: string,
  { present, changes, index }: { present: string; changes: readonly Change[]; index: string },
  call: GitCall = {},
): Promise<string | undefined> {
  const aside = `${index}.target`;
  copyFileSync(index, aside);
  try {
    const tree = await changedTree(top, changes, { ...withIndex(call, aside), settings: wherever });
    if (tree.kind === 'failed') return tree.why;
    forgetSeed(index);
    const read = ['read-tree', '-m', '-u', present, tree.tree];
    return whyNot(await git(top, read, { ...withIndex(call, index), settings: wherever }));
  } finally {
    removeIndex(aside);
  }
}

/** Git would remove what the rules of a sparse checkout leave out; and shared parts of the index are the user's. */
const wherever = ['core.sparseCheckout=false', 'core.splitIndex=false'];

/** One character a byte. */
const nameOf = (bytes: Buffer): string => bytes.toString('latin1');

const isRepository = (mode: string | undefined): boolean => mode === '160000';

function whyLeft(
  top: string,
  { kind, bytes, before, after }: Change,
  removed: ReadonlySet<string>,
): string | undefined {
  if (isRepository(before?.mode) || isRepository(after?.mode)) return 'it is a repository of its own';
  if (kind !== 'added') return undefined;
  const name = nameOf(bytes);
  const ignored = 'an ignored file stands in its place';
  try {
    const stats = lstatSync(fileAt(top, bytes), { throwIfNoEntry: false });
    if (!stats) return undefined;
    return stats.isDirectory() && holdsOnly(top, bytes, removed) ? undefined : ignored;
  } catch {
    // A file stands where a folder was.
    return isBelow(name, removed) ? undefined : ignored;
  }
}

const fileAt = (top: string, bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`${top}/`), bytes]);

const isBelow = (name: string, removed: ReadonlySet<string>): boolean =>
  name.split('/').some((_, at, parts) => at > 0 && removed.has(parts.slice(0, at).join('/')));

/** Whether a folder will be empty once those are gone. */
function holdsOnly(top: string, folder: Buffer, removed: ReadonlySet<string>): boolean {
  return readdirSync(fileAt(top, folder), { withFileTypes: true, encoding: 'buffer' }).every(entry => {
    const inside = Buffer.concat([folder, Buffer.from('/'), entry.name]);
    return entry.isDirectory() ? holdsOnly(top, inside, removed) : removed.has(nameOf(inside));
  });
}
