import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { longestTimerMs } from '../model/duration.ts';
import type { StagePlan } from '../model/pipeline.ts';
import type { Task } from '../model/record.ts';
import { iterationKey, partOf, type StepKey, stageKey } from '../model/step-key.ts';
import { counted, listed, oneLine } from '../model/words.ts';
import { stageOutputs } from '../session/inputs.ts';
import { limitOf } from '../session/state/stages.ts';
import { stageMs } from '../session/state/state.ts';
import { taskStatus } from '../session/tasks.ts';
import { checkBranch } from './branch.ts';
import { checkpoint } from './checkpoints.ts';
import { claimedIn, claimOf, giveUpTask, provesTasks, settleClaims } from './done-tasks.ts';
import { refusalText } from './fire.ts';
import { type IterationEnd, type IterationOptions, isJudged, runIteration } from './iteration.ts';
import type { Loop } from './loop-parts.ts';
import {
  checkTaken,
  listedIds,
  nextOpenTask,
  type OpenTask,
  openTasks,
  shownId,
  type Taken,
  wholeTask,
} from './open-tasks.ts';
import type { Position, Session } from './session.ts';
import { endedIn, SessionEnd, stopIfDue } from './session-end.ts';
import type { Quiet } from './stalling.ts';

interface StageEnd {
  iterations: number;
  reason: string;
  maxIterations: number;
  lastDecision?: string;
  /** The last conversation there was in it. */
  last?: { iteration: number; conversation: string; task?: Position['task'] };
}

/** Runs a stage to its end. Contract: rejects with a SessionEnd where it fails. */
export async function runStage(loop: Loop, stage: StagePlan, engine: Engine): Promise<StageEnd> {
  const { session, fire } = loop;
  const key = stageKey(stage.index);
  const maxIterations = limitNow(session, stage);
  const position: Position = { engine, stage, maxIterations };
  const starting = await fire(position, 'stage.starting', { key: partOf(key, 'starting') });
  if (starting.decision.kind !== 'proceed')
    throw new SessionEnd('failed', `stage ${stage.id} may not start: ${refusalText(starting)}`);
  const changedFiles = new Set<string>();
  const end = await iterate(loop, position, stage, { maxIterations, changedFiles });
  await checkQueue(loop, position, stage, end.iterations);
  const { lastDecision } = end;
  const last = { ...position, iteration: end.iterations, ...(lastDecision && { lastDecision }) };
  if (stage.role === 'planner') await fire(last, 'plan.completed', { key: partOf(key, 'planned') });
  await fire(last, 'stage.completed', {
    key: partOf(key, 'completed'),
    fields: {
      status: end.reason,
      duration: stageMs(session.durable.state(), stage.id),
      changedFiles: [...changedFiles],
      ...(engine.listensTo('stage.completed') && { stageOutputs: stageOutputs(session.paths, stage) }),
    },
  });
  return end;
}

/** Where the session is after a stage, also after one that an earlier process has finished. */
export function leaveStage(
  { now }: Session,
  stage: StagePlan,
  engine: Engine,
  { iterations, maxIterations, lastDecision, last }: StageEnd,
): void {
  const position = { engine, stage, maxIterations, ...(lastDecision !== undefined && { lastDecision }) };
  now.position = { ...position, iteration: iterations };
  if (!last) return;
  const { iteration, conversation, task } = last;
  now.last = {
    key: iterationKey(stage.index, iteration),
    position: { ...position, iteration, ...(task && { task }) },
    conversation,
  };
}

/** A queue that failed with tasks left gets as many iterations again when the session is resumed. */
const limitNow = (session: Session, stage: StagePlan): number =>
  limitOf(stage) * (stage.termination.type === 'queue' ? 1 + session.durable.state().failures : 1);

/** Adds the files that each iteration has changed to `changedFiles`. */
async function iterate(
  loop: Loop,
  position: Position,
  stage: StagePlan,
  { maxIterations, changedFiles }: { maxIterations: number; changedFiles: Set<string> },
): Promise<StageEnd> {
  const { session } = loop;
  let [failures, stops] = [0, 0];
  let lastDecision: string | undefined;
  let last: StageEnd['last'];
  let quiet: Quiet | undefined;
  const ended = (iterations: number, reason: string): StageEnd => ({
    ...{ iterations, reason, maxIterations },
    ...(lastDecision !== undefined && { lastDecision }),
    ...(last && { last }),
  });
  for (let iteration = 1; iteration <= maxIterations; iteration += 1) {
    const key = iterationKey(stage.index, iteration);
    if (!session.durable.isDone(key)) stopIfDue(session, 'task');
    if (!session.durable.isDone(key)) await checkBranch(session, key);
    await settleBetween(loop, position, stage, key);
    const taken = await taskFor(session, stage, key);
    if (taken === 'none-left') return ended(iteration - 1, 'queue_empty');
    const task = taken?.task;
    if (iteration > 1) await waitBetween(session, stage, key);
    const current = {
      ...position,
      stage,
      iteration,
      maxIterations,
      ...(lastDecision && { lastDecision }),
      ...(task && { task }),
    };
    session.now.position = current;
    const end = await runTaken(loop, current, taken, { key, quiet });
    quiet = end.kind === 'completed' ? end.quiet : undefined;
    if (end.conversation !== undefined)
      last = { iteration, conversation: end.conversation, ...(current.task && { task: current.task }) };
    lastDecision = end.kind === 'completed' ? end.decision : 'error';
    session.now.position = { ...current, lastDecision };
    if (end.kind === 'given-up') continue;
    if (end.kind === 'failed') {
      failures += 1;
      if (failures >= allowedFailures(session) || iteration >= maxIterations) {
        const inRow = failures > 1 ? ` (${failures} failed in a row)` : '';
        const reason = `iteration ${iteration} of stage ${stage.id} failed${inRow}: ${end.error}`;
        throw new SessionEnd('failed', reason, { at: key });
      }
      checkTaken(session, taken, key);
      continue;
    }
    failures = 0;
    if (task && claimOf(session, task.id) === 'open' && !claimedIn(session, stage).has(task.id))
      tellOpen(session, iteration, task);
    for (const file of end.changedFiles ?? []) changedFiles.add(file);
    stops = end.decision === 'stop' ? stops + 1 : 0;
    const { termination } = stage;
    if (termination.type === 'judgment' && iteration >= termination.minIterations && stops >= termination.consensus)
      return ended(iteration, isJudged(session, stage) ? 'judged' : 'consensus');
  }
  await settleBetween(loop, position, stage, stageKey(stage.index, 'queue'));
  const isEmptied = stage.termination.type === 'queue' && leftIn(session, stage).length === 0;
  return ended(maxIterations, isEmptied ? 'queue_empty' : 'max_iterations');
}

/** Runs an iteration on the task that it took, and notes where the session is then, however it ends. */
async function runTaken(
  loop: Loop,
  position: IterationOptions['position'],
  taken: Taken | undefined,
  { key, quiet }: { key: StepKey; quiet: Quiet | undefined },
): Promise<IterationEnd> {
  const { session, agent } = loop;
  try {
    const end = await session.durable.whole<IterationEnd>(key, async attempt => {
      const end = await runIteration(loop, { key, position, attempt, quiet, ...(taken && { task: taken.task }) });
      if (end.kind === 'completed') checkTaken(session, taken, key);
      if (end.kind === 'given-up' && taken) await giveUpTask(session, taken.task, end.error);
      await checkpoint(session, key, iterationWords(position, end));
      return end;
    });
    noteLast(session, key, position, end.conversation);
    return end;
  } catch (error) {
    noteLast(session, key, position, agent.idOf(key));
    throw error;
  }
}

const iterationWords = ({ stage, iteration }: IterationOptions['position'], { kind }: IterationEnd): string =>
  `iteration ${iteration} of ${stage.id}${kind === 'failed' ? ' (failed)' : ''}`;

function tellOpen({ watcher, mask }: Session, iteration: number, { id, content }: OpenTask): void {
  watcher.remark({ level: 'info', text: mask(`iteration ${iteration} leaves task ${id} "${content}" open`) });
}

/** Every box that was ticked meets its gates before the next task is taken. */
async function settleBetween(loop: Loop, position: Position, stage: StagePlan, key: StepKey): Promise<void> {
  const { session } = loop;
  if (provesTasks(stage) && !session.durable.isDone(key)) await settleClaims(loop, position, key);
}

/** What hooks have still to say at the end goes into the last conversation there was. */
function noteLast(session: Session, key: StepKey, position: Position, conversation: string | undefined): void {
  if (conversation !== undefined) session.now.last = { key, position, conversation };
}

/** Which task an iteration takes must be the same after a crash, whatever has been ticked by then. */
async function taskFor(session: Session, stage: StagePlan, key: StepKey): Promise<Taken | undefined | 'none-left'> {
  if (stage.termination.type !== 'queue' || session.durable.isDone(key)) return undefined;
  const { durable } = session;
  const taskKey = partOf(key, 'task');
  // Part of the queue's end: when that has failed and the session is resumed, there may be some again.
  const noneKey = partOf(stageKey(stage.index, 'queue'), `none${key.iteration}`);
  const next =
    durable.isDone(taskKey) || durable.isDone(noneKey) ? undefined : nextOpenTask(session, claimedIn(session, stage));
  if (!next && !durable.isDone(taskKey)) {
    await durable.value(noneKey, () => true);
    return 'none-left';
  }
  const task = await durable.value<Taken['task'] | null>(taskKey, () => next ?? null);
  // Earlier versions kept it there.
  if (!task) return 'none-left';
  const listed = await session.durable.value(partOf(key, 'listed'), () => listedIds(session));
  if (isUntouched(taskStatus(session.durable.tasks(), task.id, false)))
    await session.durable.changeTask({ kind: 'task.started', id: task.id });
  return { task: wholeTask(session, task), listed };
}

const isUntouched = (status: Task['status'] | undefined): boolean => status === undefined || status === 'open';

async function waitBetween(session: Session, { delayMs }: StagePlan, key: StepKey): Promise<void> {
  if (delayMs === 0 || session.durable.isDone(key)) return;
  for (let left = delayMs; left > 0; left -= longestTimerMs)
    await delay(Math.min(left, longestTimerMs), undefined, { signal: session.stop }).catch(() => {});
  if (session.stop.aborted) throw endedIn(session, 'between two iterations');
}

/** An agent that cannot start must not loop for ever; a hook that helps it to recover gives it some more tries. */
function allowedFailures(session: Session): number {
  const said = session.settings.maxFailures ?? session.maxFailures;
  if (said !== undefined) return Math.max(1, said);
  return session.hooks.some(({ recovers, disabled }) => recovers && !disabled) ? 3 : 1;
}

function leftIn(session: Session, stage: StagePlan): readonly Task[] {
  const claimed = claimedIn(session, stage);
  return openTasks(session).filter(({ id }) => !claimed.has(id));
}

async function checkQueue(
  { session, fire }: Loop,
  position: Position,
  stage: StagePlan,
  iterations: number,
): Promise<void> {
  if (stage.termination.type !== 'queue') return;
  const left = leftIn(session, stage);
  if (left.length === 0) return;
  const reason = leftText(session, left, `${counted(iterations, 'iteration')} of stage ${stage.id}`);
  const key = stageKey(stage.index, 'queue');
  await fire.onError({ ...position, iteration: iterations }, { key: partOf(key, 'error'), error: reason });
  // All its iterations are done: there is nothing to do anew, only more to do.
  throw new SessionEnd('failed', reason, { at: key });
}

/** Of several tasks each says only what it failed of; the list of tasks has the rest. */
const shortly = (why: string, isOneOfMany: boolean): string =>
  isOneOfMany ? oneLine(why.split(': ')[0]!, 80) : oneLine(why, 160);

/** Tasks that were given up say why; the others were never come to, or not finished. */
function leftText({ durable }: Session, left: readonly Task[], after: string): string {
  const whyOf = ({ id, status }: Task): string | undefined =>
    status === 'failed' ? durable.tasks().givenUp.get(id)?.reason : undefined;
  const named = (tasks: readonly Task[]): string => {
    const all = tasks.map(task => {
      const why = whyOf(task);
      const known = why === undefined ? `${task.id} ` : shownId(task.id);
      return `${known}"${task.content.slice(0, 60)}"${why === undefined ? '' : ` (${shortly(why, tasks.length > 1)})`}`;
    });
    return listed(all, 5);
  };
  const failed = left.filter(task => whyOf(task) !== undefined);
  const open = left.filter(task => whyOf(task) === undefined);
  return [
    ...(failed.length > 0 ? [`${counted(failed.length, 'task')} failed: ${named(failed)}`] : []),
    ...(open.length > 0
      ? [`${open.length} ${open.length === 1 ? 'task is' : 'tasks are'} left after ${after}: ${named(open)}`]
      : []),
  ].join('; ');
}
