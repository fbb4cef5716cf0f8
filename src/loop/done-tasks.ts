import type { EventResult } from '../model/index.ts';
import type { StagePlan } from '../model/pipeline.ts';
import { keyOf, partOf, type StepKey, stageKey } from '../model/step-key.ts';
import { oneLine } from '../model/words.ts';
import { setBox } from '../session/checklist.ts';
import {
  claimedTasks,
  isGivenUp,
  isListedAnew,
  isSettled,
  reopenedTasks,
  type TaskWord,
  taskStatus,
} from '../session/tasks.ts';
import { trustedBoxes } from '../session/trusted-boxes.ts';
import { checkpoint } from './checkpoints.ts';
import { commitTask } from './commit-task.ts';
import { refusalText } from './fire.ts';
import type { Loop } from './loop-parts.ts';
import { checklistOf, type Named, openTasks, shownId, taskNamed, tasksFileName, taskWords } from './open-tasks.ts';
import { type Position, type Session, warn } from './session.ts';
import { SessionEnd } from './session-end.ts';

/**
 * A ticked box is a claim, the record is the truth: a task is done when its gates have passed since it was ticked. What
 * holds that is here. Boxes that the session found ticked are trusted (`trustFound`), the task of an iteration passes its
 * gates in its conversation (`gates.ts`), every other claim meets them between two iterations and before the session's
 * end (`settleClaims`), and what a failed session leaves unproven gets its box back (`giveUpClaims`). A word is a claim
 * as well where the stage proves nothing (`doneIn`), and no one hears of a claim (`announce`).
 */
export async function trustFound(session: Session): Promise<void> {
  const { tasksFile, root, outerRoots = [] } = session.settings;
  if (tasksFile === undefined) return;
  await noteReopened(session);
  if (session.durable.isDone(foundKey)) return;
  const { projects, untold } = await session.store.around(outerRoots);
  if (untold !== undefined)
    warn(
      session,
      `sessions in the folders around ${root} will not know about this one and may trust the boxes it ticks: ${untold}`,
    );
  const ticked = checklistOf(session).flatMap(task => (task.ticked ? [task.id] : []));
  const found = await trustedBoxes(projects, tasksFile, ticked, session.paths);
  // Those of an earlier version did not look; what they left ticked meets the gates.
  const isBegun = session.run.number > 1;
  await session.durable.changeTask({ kind: 'tasks.found', ...(isBegun ? { ticked: [], after: {} } : found) });
  await session.durable.value(foundKey, () => true);
  const doubted = isBegun ? 0 : ticked.length - found.ticked.length;
  if (doubted > 0) {
    const boxes = doubted === 1 ? 'box' : 'boxes';
    const text = `${doubted} ticked ${boxes} of ${tasksFileName(session)} did not pass the gates in the session that left ${doubted === 1 ? 'it' : 'them'}; the gates run now`;
    warn(session, text);
  }
}

/** Gates do not run for a planner: what it says is done waits for those of a builder, or of the end. */
export const provesTasks = ({ role }: StagePlan): boolean => role === 'builder';

/** Tasks that a stage has done as far as it can: it does not take them again. */
export const claimedIn = (session: Session, stage: StagePlan): ReadonlySet<string> =>
  new Set(provesTasks(stage) ? [] : claimsOf(session).map(({ id }) => id));

/** The word that a task is done, as much as it counts where it is said. */
export const doneIn = ({ stage }: Position, id: string): Extract<TaskWord, { kind: 'task.done' }> => ({
  kind: 'task.done',
  id,
  ...(stage && !provesTasks(stage) && { unchecked: true }),
});

const foundKey = keyOf('tasks', 'found');

/** Runs the gates of every task that is said to be done and has not passed them. Those that are refused are open again. */
export async function settleClaims(loop: Loop, position: Position, key: StepKey): Promise<readonly Named[]> {
  const { session } = loop;
  const claimsKey = partOf(key, 'claims');
  await noteReopened(session);
  if (session.durable.isDone(claimsKey)) return session.durable.known(claimsKey) as readonly Named[];
  const claims = claimsOf(session);
  if (claims.length === 0 && !session.durable.isDone(partOf(claimsKey, 'ids'))) return [];
  return session.durable.whole(claimsKey, async () => {
    const refused: Named[] = [];
    const ids = await session.durable.value(partOf(claimsKey, 'ids'), () => claims.map(({ id }) => id));
    for (const task of ids.map(id => taskNamed(session, id)))
      if (!(await isSettledNow(loop, position, partOf(claimsKey, task.id), task))) refused.push(task);
    return refused;
  });
}

/** Looked at after every turn: what is unticked in one and ticked in the next has not passed since. */
export async function noteReopened(session: Session): Promise<void> {
  const checklist = checklistOf(session);
  for (const id of reopenedTasks(session.durable.tasks(), checklist))
    await session.durable.changeTask({ kind: 'task.reopened', id });
  if (!isListedAnew(session.durable.tasks(), checklist)) return;
  const tasks = checklist.map(({ id, content }) => ({ id, content }));
  await session.durable.changeTask({ kind: 'tasks.listed', tasks });
}

/** Contract: throws a SessionEnd where a task is still only claimed to be done, or a planner's queue has some left by that. */
export async function endWithProof(loop: Loop, position: Position): Promise<void> {
  const { session, fire } = loop;
  const queue = session.plan.stages.findLast(({ termination }) => termination.type === 'queue');
  const planned = queue && !provesTasks(queue) ? queue : undefined;
  if (!planned && session.settings.tasksFile === undefined && session.durable.tasks().unchecked.size === 0) return;
  // A queue is worked on anew where something is left of it.
  const at = planned ? stageKey(planned.index) : keyOf('proof');
  const refused = await settleClaims(loop, position, planned ? partOf(at, 'proof') : at);
  const left = planned ? openTasks(session).filter(({ id }) => session.durable.tasks().refusals.has(id)) : refused;
  if (left.length === 0) return;
  const names = left.map(({ id, content }) => `${id} "${content.slice(0, 60)}"`).join(', ');
  const reason = `gates refused ${left.length === 1 ? 'a task' : 'tasks'} at the end: ${names}`;
  if (planned) await fire.onError(position, { key: partOf(at, 'proof', 'error'), error: reason });
  throw new SessionEnd('failed', reason, { at });
}

/** At its end a session puts back the boxes of tasks that it has not proven, and what its gates refused has failed. */
export async function giveUpClaims(session: Session, reason: string): Promise<void> {
  const { durable, run } = session;
  const store = durable.tasks();
  const claims = claimsOf(session);
  for (const { id } of claims) setBoxOf(session, id, false);
  for (const { id } of claims) if (store.unchecked.has(id)) await durable.changeTask({ kind: 'task.reopened', id });
  for (const id of [...store.refusals.keys()].filter(id => taskStatus(store, id, false) !== 'failed'))
    await durable.changeTask({ kind: 'task.failed', id, reason: session.mask(reason), inRun: run.number });
}

/** A task that this run of the session does not go on with; what was said of it before does not count. */
export async function giveUpTask(session: Session, { id }: { id: string }, reason: string): Promise<void> {
  setBoxOf(session, id, false);
  const { mask, run, durable } = session;
  const task = taskNamed(session, id);
  const record = { kind: 'task.failed', id, reason: mask(reason), inRun: run.number } as const;
  // A crash may have come after this and before the end of its iteration.
  if (!isGivenUp(durable.tasks(), id)) await durable.changeTask({ ...record, content: mask(task.content) });
  warn(session, `${taskWords(task)} failed: ${reason}`);
}

/** The gates of this task passed since it was ticked or marked: now it counts, and others hear of it. */
export async function prove(loop: Loop, position: Position, task: Named): Promise<void> {
  const { session } = loop;
  const { proven, unchecked } = session.durable.tasks();
  if (!proven.has(task.id) || unchecked.has(task.id))
    await session.durable.changeTask({ kind: 'task.passed', id: task.id });
  await announce(loop, position, task);
}

/** Fires task.completed for a task that is done, once in the life of the session; not for one that is only claimed to be. */
export async function announce({ session, fire }: Loop, position: Position, task: Named): Promise<void> {
  if (session.durable.tasks().unchecked.has(task.id)) return;
  const key = keyOf('task', task.id);
  await session.durable.once(key, async () => {
    await checkpoint(session, key, `task ${shownId(task.id)}done: ${oneLine(task.content, 80)}`);
    const value = session.durable.tasks().values.get(task.id);
    await fire({ ...position, task: { id: task.id, content: task.content } }, 'task.completed', {
      key: partOf(key, 'completed'),
      ...(value !== undefined && { fields: { extra: { value } } }),
    });
    return true;
  });
}

/** Announces what was found to be done just before a crash. */
export async function announceDone(loop: Loop, position: Position): Promise<void> {
  const { session } = loop;
  const { tasks, marks } = session.durable.tasks();
  const own = [...tasks.values()].filter(({ status }) => status === 'done');
  const listed = [...marks].flatMap(([id, status]) => (status === 'done' ? [taskNamed(session, id)] : []));
  for (const task of [...own, ...listed]) await announce(loop, position, task);
}

/** Asks the gates of a task. Where one of them ends the session it has refused the task as well. */
export async function askGates({ session, fire, base }: Loop, position: Position, key: StepKey): Promise<EventResult> {
  const { durable } = session;
  const { task } = position;
  try {
    const changedFiles = await base.changedFiles();
    const fields = changedFiles && { changedFiles };
    const result = await whileChecking(session, task?.id, () =>
      fire(position, 'task.completing', { key, ...(fields && { fields }) }),
    );
    if (result.decision.kind === 'proceed') base.accept();
    return result;
  } catch (error) {
    const isRefusal = error instanceof SessionEnd && error.status === 'failed' && durable.failure() === undefined;
    if (task && isRefusal) await durable.changeTask({ kind: 'task.refused', id: task.id, text: error.message });
    throw error;
  }
}

/** A gate that marks its own task as done would wait for itself. */
export async function whileChecking<T>(
  { now }: Session,
  task: string | undefined,
  check: () => Promise<T>,
): Promise<T> {
  if (task === undefined) return check();
  now.checking.add(task);
  try {
    return await check();
  } finally {
    now.checking.delete(task);
  }
}

/** What is said of a task, by its box or by word; `gone`: its line is not in the file, perhaps because it is reworded. */
export function claimOf(session: Session, id: string): 'done' | 'dropped' | 'open' | 'gone' {
  const store = session.durable.tasks();
  const listed = checklistOf(session).find(task => task.id === id);
  if (listed?.ticked) return 'done';
  const status = taskStatus(store, id, false);
  if (status === 'done' || status === 'dropped') return status;
  return listed || store.tasks.has(id) ? 'open' : 'gone';
}

/** Its gates decide alone: the loop ticks its box, or marks it where it has none. */
export async function markDone(
  session: Session,
  position: Position,
  { id }: { id: string },
  value?: unknown,
): Promise<void> {
  setBoxOf(session, id, true);
  if (!isSettled(session.durable.tasks(), id))
    await session.durable.changeTask({ ...doneIn(position, id), ...(value !== undefined && { value }) });
}

const claimsOf = (session: Session): Named[] => claimedTasks(session.durable.tasks(), checklistOf(session));

async function isSettledNow(loop: Loop, position: Position, key: StepKey, task: Named): Promise<boolean> {
  const { session } = loop;
  const result = await askGates(loop, { ...position, task }, key);
  const isPassed = result.decision.kind === 'proceed';
  const uncommitted = isPassed ? await commitTask(loop, { ...position, task }, key, result) : undefined;
  if (isPassed && uncommitted === undefined) {
    await prove(loop, position, task);
    return true;
  }
  await session.durable.changeTask({ kind: 'task.refused', id: task.id, text: uncommitted ?? refusalText(result) });
  const givenUp = session.durable.tasks().givenUp.get(task.id);
  if (givenUp && isGivenUp(session.durable.tasks(), task.id)) {
    const { reason, inRun } = givenUp;
    await session.durable.changeTask({ kind: 'task.failed', id: task.id, reason, inRun });
  }
  setBoxOf(session, task.id, false);
  warn(session, `task ${task.id} "${task.content}" was marked done, but its gates refused it: it is open again`);
  return false;
}

/** Of a task that has one. */
export function setBoxOf(session: Session, id: string, ticked: boolean): void {
  const { tasksFile } = session.settings;
  if (tasksFile === undefined || !checklistOf(session).some(task => task.id === id && task.ticked !== ticked)) return;
  const failure = setBox(tasksFile, id, ticked);
  if (failure !== undefined)
    warn(session, `the box of task ${id} was not ${ticked ? 'ticked' : 'put back'}: ${failure}`);
}
