import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatKey, type StepKey } from '../model/step-key.ts';
import { onCancel } from '../platform/cancel.ts';
import { setRef } from '../workspace/checkpoint-refs.ts';
import { type GitCall, gitTimeoutMs } from '../workspace/git.ts';
import { findRepository, isInRepository, type Repository, readHead } from '../workspace/repository.ts';
import { type Captured, captureTree } from '../workspace/tree.ts';
import { checkpointIndex, keepCheckpoint } from './keep-checkpoint.ts';
import { type Session, warn } from './session.ts';
import { SessionEnd } from './session-end.ts';

/** How long git may still take, all of it together, once someone wants the session to stop. */
const hurryMs = 1500;

/** Whether the session keeps checkpoints: a child's work is in those of its parent. */
export const keepsCheckpoints = ({ settings }: Pick<Session, 'settings'>): boolean =>
  settings.child === undefined && isInRepository(settings.root);

/**
 * Keeps the working files as they are now, once for each key. Nothing happens outside a git repository; where git is
 * missing, hangs or says no, the checkpoint is left out and people are told.
 */
export async function checkpoint(session: Session, key: StepKey, what: string): Promise<void> {
  if (!keepsCheckpoints(session) || session.durable.failure()) return;
  const written = formatKey(key);
  if (session.durable.state().checkpoints.some(made => made.key === written)) return;
  await inTime(session, what, call => make(session, call, { key: written, what }));
}

/** The last one, where the session ends with files that no checkpoint has. */
export async function lastCheckpoint(session: Session, what: string): Promise<void> {
  const { durable } = session;
  const last = durable.state().checkpoints.at(-1);
  if (!last || !keepsCheckpoints(session) || durable.failure() || session.lease.lost.aborted) return;
  await inTime(session, what, call => make(session, call, { what, unlessTree: last.tree })).catch((error: unknown) => {
    // The journal cannot be written, which is told where the session ends.
    if (!(error instanceof SessionEnd)) throw error;
  });
}

/** The journal is the truth: a crash may have come before the ref. */
export async function restoreLastRef(session: Session): Promise<void> {
  const last = session.durable.state().checkpoints.at(-1);
  if (!last || !keepsCheckpoints(session)) return;
  await inTime(session, last.what, call => setRef(session.settings.root, last.ref, last.oid, call));
}

/** Says why where it cannot be done. */
async function inTime(
  session: Session,
  what: string,
  work: (call: GitCall) => Promise<string | undefined>,
): Promise<void> {
  const call: GitCall = { env: session.env, stop: session.stop, deadlineMs: performance.now() + gitTimeoutMs };
  const hasten = (): void => {
    call.deadlineMs = Math.min(call.deadlineMs!, performance.now() + hurryMs);
  };
  const before = lastWork.get(session);
  const working = (async () => {
    await before?.catch(() => {});
    if (session.stop.aborted) hasten();
    return work(call);
  })();
  lastWork.set(session, working);
  const ignoreStop = onCancel(session.stop, hasten);
  try {
    const why = await working;
    if (why !== undefined) warn(session, `no checkpoint of the files (${what}): ${why}`);
  } finally {
    ignoreStop();
  }
}

/** An agent may say of two tasks at once that they are done, and there is one index. */
const lastWork = new WeakMap<Session, Promise<unknown>>();

interface Making {
  key?: string;
  what: string;
  /** Nothing is kept where the files are still these. */
  unlessTree?: string;
}

async function make(session: Session, call: GitCall, { key, what, unlessTree }: Making): Promise<string | undefined> {
  const { durable, settings, paths, mask } = session;
  const { root } = settings;
  const [captured, head] = await Promise.all([capture(session, call), readHead(root, call)]);
  // A folder named .git need not be a repository, and a bare one has no files.
  if (captured.kind === 'none') return undefined;
  if (captured.kind === 'failed') return captured.why;
  if (captured.left !== undefined && durable.state().checkpoints.length === 0)
    warn(session, `checkpoints are without what git cannot read: ${mask(captured.left)}`);
  const { tree } = captured;
  if (tree === unlessTree) return undefined;
  const before = durable.state().checkpoints.at(-1);
  const owner = { name: paths.name, folder: paths.folder, root };
  return keepCheckpoint(owner, { before, tree, what: mask(what), head, key }, durable.write, call);
}

/** Where the repository is does not change in a session; that it is still there is looked at. */
const repositories = new WeakMap<Session, Repository>();

async function capture(session: Session, call: GitCall): Promise<Captured> {
  const { root } = session.settings;
  const known = repositories.get(session);
  const isThere = known !== undefined && existsSync(join(known.top, '.git'));
  const found = isThere ? { kind: 'repository' as const, repository: known } : await findRepository(root, call);
  if (found.kind !== 'repository') return found;
  const { repository } = found;
  repositories.set(session, repository);
  return captureTree(root, { ...call, repository, index: checkpointIndex(session.paths.folder) });
}
