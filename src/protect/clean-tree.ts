import { withValueOf } from '../config/json-values.ts';
import { type Change, changedTree, type Entry } from '../workspace/changed.ts';
import { type GitCall, git, withIndex } from '../workspace/git.ts';
import { removeIndex, type Tree } from '../workspace/tree.ts';
import { blobText, type ProtectedChange } from './protected-changes.ts';

interface Cleaning {
  top: string;
  now: string;
  changes: readonly ProtectedChange[];
  /** A file of our own to work in. */
  index: string;
  call: GitCall;
}

/** The tree as it is now with the protected parts as they were: removed ones are back, added ones are not in it. */
export async function cleanTree({ top, now, changes, index, call }: Cleaning): Promise<Tree> {
  const own = withIndex(call, index);
  try {
    const back: Change[] = [];
    for (const one of changes) back.push(await changedBack(top, one, own));
    const filled = await git(top, ['read-tree', now], own);
    return filled.kind === 'done' ? await changedTree(top, back, own) : { kind: 'failed', why: filled.why };
  } finally {
    removeIndex(index);
  }
}

/** From how it is now to how it is in the clean tree. */
async function changedBack(top: string, changed: ProtectedChange, call: GitCall): Promise<Change> {
  const { before: _was, after: now, ...file } = changed.change;
  const entry = await entryOf(top, changed, call);
  return { ...file, ...(now && { before: now }), ...(entry && { after: entry }) };
}

/** What stands there in the clean tree; undefined: nothing. */
async function entryOf(
  top: string,
  { change: { before, after }, pointers }: ProtectedChange,
  call: GitCall,
): Promise<Entry | undefined> {
  if (!pointers || !before || !after) return before;
  const original = await blobText(top, before.oid, call);
  let text: string | undefined = await blobText(top, after.oid, call);
  for (const pointer of pointers) text = text === undefined ? text : withValueOf(text, pointer, original);
  // Where a part cannot be put back, all of the file is.
  if (text === undefined) return before;
  const written = await git(top, ['hash-object', '-w', '--stdin'], { ...call, input: text });
  return written.kind === 'done' ? { mode: after.mode, oid: written.text } : before;
}
