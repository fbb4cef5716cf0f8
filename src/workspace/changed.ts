import { type GitCall, git } from './git.ts';
import { whyNot } from './repository.ts';
import { type Tree, writeTree } from './tree.ts';

export interface Change {
  /** Relative to the top of the repository; bytes that are not UTF-8 are shown as U+FFFD. */
  path: string;
  /** The name itself. */
  bytes: Buffer;
  kind: 'added' | 'changed' | 'removed';
  before?: Entry;
  after?: Entry;
}

/** What stands at a path in a tree. `mode` as git writes it: 100644, 100755, 120000 (a link), 160000 (a repository's commit). */
export interface Entry {
  mode: string;
  oid: string;
}

type Changes = { kind: 'changes'; changes: readonly Change[] } | { kind: 'failed'; why: string };

/** The files in which two trees or commits differ, sorted by path. A file that was moved is one removed and one added. */
export async function changedBetween(
  folder: string,
  before: string,
  after: string,
  call: GitCall = {},
): Promise<Changes> {
  if (before === after) return { kind: 'changes', changes: [] };
  const answer = await git(
    folder,
    ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', before, after],
    call,
  );
  if (answer.kind !== 'done') return { kind: 'failed', why: answer.why };
  // One character a byte, so that names stay what they are.
  const fields = answer.bytes.toString('latin1').split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const change = toChange(fields[at]!, Buffer.from(fields[at + 1]!, 'latin1'));
    if (change) changes.push(change);
  }
  return { kind: 'changes', changes };
}

/** Makes changes in the index of a call, and in no file. Says why it cannot. */
export async function putInIndex(top: string, changes: readonly Change[], call: GitCall): Promise<string | undefined> {
  const input = Buffer.concat([...changes].sort(removedFirst).map(indexRow));
  return whyNot(await git(top, ['update-index', '-z', '--index-info'], { ...call, input }));
}

/** The tree that the index of a call gives once it has these changes. */
export async function changedTree(top: string, changes: readonly Change[], call: GitCall): Promise<Tree> {
  const why = await putInIndex(top, changes, call);
  return why === undefined ? writeTree(top, call) : { kind: 'failed', why };
}

/** A link may come to stand where a folder was. */
const removedFirst = (a: Change, b: Change): number => Number(a.after !== undefined) - Number(b.after !== undefined);

function indexRow({ before, after, bytes }: Change): Buffer {
  const { mode, oid } = after ?? { mode: '0', oid: '0'.repeat(before!.oid.length) };
  return Buffer.concat([Buffer.from(`${mode} ${oid}\t`), bytes, Buffer.from('\0')]);
}

/** `:100644 100755 OID OID M` */
function toChange(row: string, bytes: Buffer): Change | undefined {
  const [, modeBefore, modeAfter, oidBefore, oidAfter] =
    /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [A-Z]/.exec(row) ?? [];
  if (!modeBefore || !modeAfter || !oidBefore || !oidAfter) return undefined;
  const before = modeBefore === nothing ? undefined : { mode: modeBefore, oid: oidBefore };
  const after = modeAfter === nothing ? undefined : { mode: modeAfter, oid: oidAfter };
  return {
    path: bytes.toString(),
    bytes,
    kind: before ? (after ? 'changed' : 'removed') : 'added',
    ...(before && { before }),
    ...(after && { after }),
  };
}

const nothing = '000000';
