import { questionWaitMs } from '../model/duration.ts';
import { formatKey, keyOf, partOf, type StepKey } from '../model/step-key.ts';
import { isInCi } from '../platform/ci.ts';
import { readHead } from '../workspace/repository.ts';
import { askPerson } from './ask-person.ts';
import { keepsCheckpoints } from './checkpoints.ts';
import { type Session, stageOf, warn } from './session.ts';
import { endedIn, SessionEnd } from './session-end.ts';

/** The branch that the session works on, as far as a person knows. */
export const branchKey = keyOf('branch');

const noBranch = 'no branch';

interface KnownBranch {
  branch: string;
  /** The session's run that knows it. */
  run: number;
}

const accepted = new WeakMap<Session, KnownBranch>();

const knownBranch = (session: Session): KnownBranch | undefined =>
  accepted.get(session) ?? (session.durable.known(branchKey) as KnownBranch | undefined);

function accept(session: Session, branch: string): void {
  const known = { branch, run: session.run.number };
  accepted.set(session, known);
  session.durable.remember(branchKey, known);
}

async function branchNow({ settings, env, stop }: Session): Promise<string | undefined> {
  const { branch, commit } = await readHead(settings.root, { env, stop });
  if (branch === undefined && commit === undefined) return undefined;
  return branch?.replace(/^refs\/heads\//, '') ?? noBranch;
}

/** Why the branch is not the one that the session is on; undefined where it is. */
export async function whyOtherBranch(session: Session): Promise<string | undefined> {
  const known = knownBranch(session)?.branch;
  const now = await branchNow(session);
  return known === undefined || now === undefined || now === known
    ? undefined
    : `the session works on ${known}, and HEAD is on ${now}`;
}

/**
 * Before each task: where someone, the agent too, has changed the branch under the session, a person says whether to go
 * on. Contract: throws a SessionEnd where no one can be asked or the answer is no; the session can be resumed.
 */
export async function checkBranch(session: Session, key: StepKey): Promise<void> {
  const { durable, run } = session;
  if (!keepsCheckpoints(session) || durable.isDone(partOf(key, 'work'))) return;
  const now = await branchNow(session);
  if (now === undefined) return;
  const known = knownBranch(session);
  if (known?.branch === now) return;
  const [asking, answer] = [partOf(key, 'branch-asking'), partOf(key, 'branch-answer')];
  // Killed while a person was asked: the question is still there, and perhaps an answer.
  const isOpen = durable.isDone(asking) && !durable.isDone(answer);
  // Who resumes a session has seen why it stopped.
  if (known === undefined || (known.run !== run.number && !isOpen)) {
    if (known) warn(session, `the session goes on on ${now}; it began on ${known.branch}`);
    return accept(session, now);
  }
  await durable.value(asking, () => true);
  const why = await durable.value(answer, () => ask(session, key, { from: known.branch, to: now }));
  if (why === null) return accept(session, now);
  throw new SessionEnd(
    'stopped',
    `the branch has changed from ${known.branch} to ${now}, and ${why}. Switch back, or resume to go on here`,
  );
}

/** Why the session does not go on; null where it does. */
async function ask(session: Session, key: StepKey, { from, to }: { from: string; to: string }): Promise<string | null> {
  const { stop, env, mask } = session;
  if (isInCi(env)) return 'no one is there to ask (CI is set)';
  const where = { stage: stageOf(session, key), iteration: key.iteration };
  const asked = {
    ...{ key: formatKey(partOf(key, 'branch-asked')), title: 'Another branch', timeoutMs: questionWaitMs },
    question: `The branch has changed from ${from} to ${to} since the session began. Shall it go on there? (no: it stops and can be resumed)`,
  };
  const answer = await askPerson(session, where, asked, stop);
  if (stop.aborted) throw endedIn(session, 'while a person was asked about the branch');
  switch (answer?.kind) {
    case 'answered':
      return answer.approved ? null : `the answer was no${answer.message.trim() && `: ${mask(answer.message.trim())}`}`;
    case 'expired':
      return 'no one answered within an hour';
    case 'failed':
      return `no one can be asked: ${answer.reason}`;
    default:
      return 'no one is there to ask';
  }
}
