import { canRefuse } from '../dialects/gates.ts';
import type { EventResult } from '../model/index.ts';
import { keyOf, partOf, type StepKey } from '../model/step-key.ts';
import { listed, oneLine } from '../model/words.ts';
import type { GitCall } from '../workspace/git.ts';
import { findRepository } from '../workspace/repository.ts';
import {
  type Committed,
  commitWork,
  followHead,
  lastCommitWith,
  stagedPaths,
  whyNoCommit,
} from '../workspace/task-commit.ts';
import { captureTree } from '../workspace/tree.ts';
import { whyOtherBranch } from './branch.ts';
import { keepsCheckpoints } from './checkpoints.ts';
import { refusalText } from './fire.ts';
import { checkpointIndex } from './keep-checkpoint.ts';
import type { Loop } from './loop-parts.ts';
import { hooksOf, type Position, type Session, warn } from './session.ts';
import { endedIn } from './session-end.ts';

const stagedKey = keyOf('staged');

const isOn = (session: Session): boolean => session.settings.commitTasks === true && keepsCheckpoints(session);

/** Before the session does anything: what the user has staged then stays out of its commits. */
export async function noteStaged(session: Session): Promise<void> {
  if (!isOn(session)) return;
  const staged = await session.durable.value<string[]>(stagedKey, async () => {
    const found = await stagedPaths(session.settings.root, callOf(session));
    return Array.isArray(found) ? found : [];
  });
  stagedBefore.set(session, staged);
}

const stagedBefore = new WeakMap<Session, readonly string[]>();

const callOf = (session: Session): GitCall => ({ env: session.env, stop: session.stop });

/**
 * With `commit: task`: commits what the session has changed, once its gates have passed. The result is what the agent is
 * told where hooks of `commit.creating`, or the repository's own, refuse it. `gates`: what passed.
 */
export async function commitTask(
  loop: Loop,
  position: Position,
  key: StepKey,
  gates: EventResult,
): Promise<string | undefined> {
  const { session, fire } = loop;
  const { task } = position;
  if (!task || !isOn(session)) return undefined;
  const { root } = session.settings;
  const call = callOf(session);
  const leave = (why: string): undefined => {
    warn(session, `task ${task.id} is not committed: ${why}`);
  };
  const found = await findRepository(root, call);
  if (found.kind === 'none') return undefined;
  if (found.kind === 'failed') return leave(found.why);
  const { top } = found.repository;
  const why = await whyNoCommit(top, call);
  if (why !== undefined) return leave(why);
  const otherBranch = await whyOtherBranch(session);
  if (otherBranch !== undefined) return `The work cannot be committed: ${otherBranch}. Go back to it.`;
  const message = messageOf(session, task, gates);
  const creating = await fire(position, 'commit.creating', { key: partOf(key, 'committing'), fields: { message } });
  if (creating.decision.kind !== 'proceed') return refusalText(creating);
  const end = await session.durable.step<Committed>(partOf(key, 'commit'), async attempt => {
    const made = await commitOnce(session, { top, message, id: task.id, isAgain: attempt > 1 }, call);
    if (session.stop.aborted && made.kind !== 'committed') throw endedIn(session, 'while a task was committed');
    return made;
  });
  if ('leftOut' in end && end.leftOut.length > 0)
    warn(
      session,
      `not in the commit of task ${task.id}, since you had staged it before: ${listed(end.leftOut, shownFiles)}`,
    );
  if (end.kind === 'committed' && end.mixed && end.mixed.length > 0)
    warn(
      session,
      `in the commit of task ${task.id} is also what you had changed in these files before the session, since the agent changed them too: ${listed(end.mixed, shownFiles)}`,
    );
  if (end.kind === 'committed' && end.behind !== undefined)
    warn(
      session,
      `task ${task.id} is committed, but your index does not know it, as if its files were to be removed: git reset puts that right (${end.behind})`,
    );
  if (end.kind === 'failed') leave(end.why);
  if (end.kind === 'committed')
    session.watcher.remark({ level: 'info', text: `task ${task.id} is commit ${end.oid.slice(0, 10)}` });
  return end.kind === 'refused' ? `The commit of this task was refused:\n\n${session.mask(end.why)}` : undefined;
}

const shownFiles = 5;

interface Commit {
  top: string;
  message: string;
  id: string;
  isAgain: boolean;
}

async function commitOnce(session: Session, { top, message, id, isAgain }: Commit, call: GitCall): Promise<Committed> {
  const { durable, paths } = session;
  const staged = stagedBefore.get(session) ?? [];
  const known = isAgain ? await lastCommitWith(top, trailersOf(session, id), call) : undefined;
  if (known) {
    const why = await followHead(top, known.parent, staged, call);
    return { kind: 'committed', oid: known.oid, leftOut: [], ...(why !== undefined && { behind: why }) };
  }
  const base = durable.state().checkpoints[0];
  if (!base) return { kind: 'failed', why: 'there is no checkpoint of the files before the session' };
  const present = await captureTree(top, { ...call, index: checkpointIndex(paths.folder) });
  if (present.kind !== 'tree') return { kind: 'failed', why: present.why };
  const index = `${checkpointIndex(paths.folder)}.commit`;
  return commitWork(top, { base: base.tree, head: base.head, present: present.tree, staged, message, index }, call);
}

const trailersOf = ({ paths }: Session, id: string): string[] => [
  `Hookloop-Session: ${paths.name}`,
  `Hookloop-Task: ${id}`,
];

function messageOf(session: Session, { id, content }: NonNullable<Position['task']>, { results }: EventResult): string {
  const text = session.mask(content.trim());
  const subject = oneLine(text, 72);
  const gates = results.flatMap(ran => {
    const hook = ran.status === 'finished' ? hooksOf(session).find(known => known.id === ran.hook) : undefined;
    return hook && canRefuse(hook) ? [`Hookloop-Gate: ${oneLine(session.mask(hook.name), 200)}`] : [];
  });
  const body = subject === text ? '' : `${text}\n\n`;
  return `${subject}\n\n${body}${[...trailersOf(session, id), ...gates].join('\n')}\n`;
}
