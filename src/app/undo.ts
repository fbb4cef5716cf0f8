import { checkpointIndex } from '../loop/checkpoint-index.ts';
import type { KeptCheckpoint } from '../session/state/checkpoints.ts';
import type { NotHeld, Noting } from '../session/store.ts';
import { checkpointRef, commitCheckpoint, groupOf, setRef } from '../workspace/checkpoint-refs.ts';
import type { GitCall } from '../workspace/git.ts';
import { readHead } from '../workspace/repository.ts';
import { planRestore, type RestorePlan, restore } from '../workspace/restore.ts';
import { checkpointAt, checkpointsOf, type NoCheckpoint, presentTree } from './checkpoints.ts';
import type { Context } from './context.ts';
import type { NamedSession } from './sessions.ts';

/** What `undo` would do; `keeps`: the number under which the files as they are now are kept. */
export interface UndoPlan extends RestorePlan {
  to: KeptCheckpoint;
  keeps: number;
}

export type UndoEnd =
  | ({ kind: 'undone' } & UndoPlan)
  | ({ kind: 'declined' } & UndoPlan)
  /** The files are what they were then; `left` may say otherwise of some. */
  | ({ kind: 'unchanged' } & Pick<UndoPlan, 'to' | 'left'>)
  | { kind: 'busy'; pid?: number }
  | NoCheckpoint;

/** A checkout of a large repository may take its time. */
const timeoutMs = 300_000;

/** Puts the files back to a checkpoint, after asking; the files as they are now become one more checkpoint before. */
export async function undoSession(
  session: NamedSession,
  to: number,
  context: Context,
  agree: (plan: UndoPlan) => Promise<boolean>,
): Promise<UndoEnd> {
  const found = await checkpointsOf(session, context);
  if (found.kind !== 'found') return found;
  const target = checkpointAt(found, to);
  if ('kind' in target) return target;
  const noted = await session.store.note(session.name, held =>
    goBack({ session, top: found.top, target, context }, held, agree),
  );
  if (noted.kind === 'noted') return noted.value;
  return noted.kind === 'busy' ? noted : { kind: 'failed', why: whyNotHeld(session.name, noted) };
}

interface GoingBack {
  session: NamedSession;
  top: string;
  target: KeptCheckpoint;
  context: Context;
}

async function goBack(
  { session, top, target, context }: GoingBack,
  held: Noting,
  agree: (plan: UndoPlan) => Promise<boolean>,
): Promise<UndoEnd> {
  const call: GitCall = { env: context.env, timeoutMs };
  const present = await presentTree(session, call);
  if (present.kind !== 'tree') return { kind: 'failed', why: present.why };
  const planned = await planRestore(top, { present: present.tree, target: target.tree }, call);
  if (planned.kind === 'failed') return planned;
  const { changes, left } = planned;
  if (changes.length === 0) return { kind: 'unchanged', to: target, left };
  const plan: UndoPlan = { to: target, keeps: held.state.checkpoints.at(-1)!.n + 1, changes, left };
  if (!(await agree(plan))) return { kind: 'declined', ...plan };
  // A person takes their time.
  const now = await presentTree(session, call);
  if (now.kind !== 'tree') return { kind: 'failed', why: now.why };
  if (now.tree !== present.tree)
    return { kind: 'failed', why: 'files have changed meanwhile, so nothing was done: run it again' };
  const why =
    (await keepPresent(
      session,
      held,
      { tree: now.tree, what: `before undo to ${String(target.n).padStart(3, '0')}` },
      call,
    )) ?? (await restore(top, { present: now.tree, changes, index: checkpointIndex(session.folder) }, call));
  return why === undefined ? { kind: 'undone', ...plan } : { kind: 'failed', why };
}

/** Says why it cannot: then nothing may be overwritten. */
async function keepPresent(
  { name, folder, root }: NamedSession,
  { state, journal }: Noting,
  { tree, what }: { tree: string; what: string },
  call: GitCall,
): Promise<string | undefined> {
  const before = state.checkpoints.at(-1)!;
  const n = before.n + 1;
  const made = { session: name, folder, n, tree, parent: before.oid, what, at: new Date().toISOString() };
  const commit = await commitCheckpoint(root, made, call);
  if (commit.kind === 'failed') return commit.why;
  const ref = checkpointRef(groupOf(before.ref), n);
  const { branch, commit: head } = await readHead(root, call);
  await journal.append({
    ...{ kind: 'checkpoint.made', n, oid: commit.oid, tree, ref, what, beforeUndo: true },
    ...(branch !== undefined && { branch }),
    ...(head !== undefined && { head }),
  });
  return setRef(root, ref, commit.oid, call);
}

/** Why a session cannot be had, in words. */
export function whyNotHeld(name: string, held: Exclude<NotHeld, { kind: 'busy' }>): string {
  if ('reason' in held) return held.reason;
  if (held.kind === 'damaged') return `the journal of session ${name} is damaged: hookloop repair ${name}`;
  return `session ${name} never began`;
}
