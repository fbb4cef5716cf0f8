import { checkpointIndex, keepCheckpoint } from '../loop/keep-checkpoint.ts';
import { checkpointDigits } from '../model/words.ts';
import type { KeptCheckpoint } from '../session/state/checkpoints.ts';
import type { NotHeld, Noting } from '../session/store.ts';
import type { GitCall } from '../workspace/git.ts';
import { readHead } from '../workspace/repository.ts';
import { planRestore, type RestorePlan, restore } from '../workspace/restore.ts';
import { checkpointAt, checkpointsOf, type NoCheckpoint, presentFiles } from './checkpoints.ts';
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
  const present = await presentFiles(session, call);
  if (present.kind !== 'tree') return { kind: 'failed', why: present.why };
  const planned = await planRestore(top, { present: present.tree, target: target.tree }, call);
  if (planned.kind === 'failed') return planned;
  const { changes, left } = planned;
  if (changes.length === 0) return { kind: 'unchanged', to: target, left };
  const plan: UndoPlan = { to: target, keeps: held.state.checkpoints.at(-1)!.n + 1, changes, left };
  if (!(await agree(plan))) return { kind: 'declined', ...plan };
  // A person takes their time.
  const now = await presentFiles(session, call);
  if (now.kind !== 'tree') return { kind: 'failed', why: now.why };
  if (now.tree !== present.tree)
    return { kind: 'failed', why: 'files have changed meanwhile, so nothing was done: run it again' };
  const kept = {
    ...{ before: held.state.checkpoints.at(-1), tree: now.tree, what: `before undo to ${checkpointDigits(target.n)}` },
    ...{ head: await readHead(session.root, call), beforeUndo: true as const },
  };
  // Where they cannot be kept nothing may be overwritten.
  const why =
    (await keepCheckpoint(session, kept, record => held.journal.append(record), call)) ??
    (await restore(top, { present: now.tree, changes, index: checkpointIndex(session.folder) }, call));
  return why === undefined ? { kind: 'undone', ...plan } : { kind: 'failed', why };
}

/** Why a session cannot be had, in words. */
export function whyNotHeld(name: string, held: Exclude<NotHeld, { kind: 'busy' }>): string {
  if ('reason' in held) return held.reason;
  if (held.kind === 'damaged') return `the journal of session ${name} is damaged: hookloop repair ${name}`;
  return `session ${name} never began`;
}
