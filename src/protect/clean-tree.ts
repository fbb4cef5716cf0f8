import { rmSync } from 'node:fs';
import { withValueOf } from '../config/json-values.ts';
import type { Entry } from '../workspace/changed.ts';
import { type GitAnswer, type GitCall, git } from '../workspace/git.ts';
import { blobText, type ProtectedChange } from './protected-changes.ts';

export type CleanTree = { kind: 'tree'; tree: string } | { kind: 'failed'; why: string };

interface Cleaning {
  top: string;
  now: string;
  changes: readonly ProtectedChange[];
  /** A file of our own to work in. */
  index: string;
  call?: GitCall;
}

/** The tree as it is now with the protected parts as they were: removed ones are back, added ones are not in it. */
export async function cleanTree({ top, now, changes, index, call }: Cleaning): Promise<CleanTree> {
  const own: GitCall = { ...call, variables: { ...call?.variables, GIT_INDEX_FILE: index } };
  try {
    const rows: Buffer[] = [];
    // First what goes: a link may stand where a folder was.
    for (const one of [...changes].sort(
      (a, b) => Number(a.change.before !== undefined) - Number(b.change.before !== undefined),
    ))
      rows.push(rowOf(one, await entryOf(top, one, own)));
    const steps: (() => Promise<GitAnswer>)[] = [
      () => git(top, ['read-tree', now], own),
      () => git(top, ['update-index', '-z', '--index-info'], { ...own, input: Buffer.concat(rows) }),
      () => git(top, ['write-tree', '--missing-ok'], own),
    ];
    let last: GitAnswer | undefined;
    for (const step of steps) {
      last = await step();
      if (last.kind !== 'done') return { kind: 'failed', why: last.why };
    }
    return { kind: 'tree', tree: (last as Extract<GitAnswer, { kind: 'done' }>).text };
  } finally {
    for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  }
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

const nothing = '0'.repeat(40);

function rowOf({ change: { bytes, before, after } }: ProtectedChange, entry: Entry | undefined): Buffer {
  const length = (before ?? after)!.oid.length;
  const head = entry ? `${entry.mode} ${entry.oid}\t` : `0 ${nothing.padEnd(length, '0')}\t`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\0')]);
}
