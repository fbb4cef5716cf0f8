import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import type { StagePlan } from '../model/pipeline.ts';
import type { Task } from '../model/record.ts';
import { iterationKey, partOf, type StepKey, stageKey } from '../model/step-key.ts';
import { stageOutputs } from '../session/inputs.ts';
import { limitOf } from '../session/state/stages.ts';
import { stageMs } from '../session/state/state.ts';
import { taskStatus } from '../session/tasks.ts';
import { checkTaken, listedIds, nextOpenTask, type OpenTask, openTasks, type Taken, wholeTask } from './board.ts';
import { claimedIn, claimOf, provesTasks, settleClaims } from './done-tasks.ts';
import { fire, fireOnError, refusalText } from './fire.ts';
import { type IterationEnd, runIteration } from './iteration.ts';
import { isJudged } from './judgment.ts';
import type { Loop, Scene } from './loop.ts';
import { SessionEnd } from './session-end.ts';

export interface StageEnd {
  iterations: number;
  reason: string;
  maxIterations: number;
  lastDecision?: string;
  /** The last conversation there was in it. */
  last?: { iteration: number; conversation: string; task?: Scene['task'] };
}

/** Runs a stage to its end. Contract: rejects with a SessionEnd where it fails. */
export async function runStage(loop: Loop, stage: StagePlan, engine: Engine): Promise<StageEnd> {
  const key = stageKey(stage.index);
  const maxIterations = limitNow(loop, stage);
  const scene: Scene = { engine, stage, maxIterations };
  const starting = await fire(loop, scene, 'stage.starting', { key: partOf(key, 'starting') });
  if (starting.decision.kind !== 'proceed')
    throw new SessionEnd('failed', `stage ${stage.id} may not start: ${refusalText(starting)}`);
  const { end, changedFiles } = await iterate(loop, scene, stage, maxIterations);
  await checkQueue(loop, scene, stage, end.iterations);
  const { lastDecision } = end;
  const last = { ...scene, iteration: end.iterations, ...(lastDecision && { lastDecision }) };
  if (stage.role === 'planner') await fire(loop, last, 'plan.completed', { key: partOf(key, 'planned') });
  await fire(loop, last, 'stage.completed', {
    key: partOf(key, 'completed'),
    fields: {
      status: end.reason,
      duration: stageMs(loop.durable.state(), stage.id),
      changedFiles: [...changedFiles],
      ...(engine.listensTo('stage.completed') && { stageOutputs: stageOutputs(loop.paths, stage) }),
    },
  });
  return end;
}

/** Where the session is after a stage, also after one that an earlier process has finished. */
export function leaveStage(
  { here }: Loop,
  stage: StagePlan,
  engine: Engine,
  { iterations, maxIterations, lastDecision, last }: StageEnd,
): void {
  const scene = { engine, stage, maxIterations, ...(lastDecision !== undefined && { lastDecision }) };
  here.scene = { ...scene, iteration: iterations };
  if (!last) return;
  const { iteration, conversation, task } = last;
  here.last = {
    key: iterationKey(stage.index, iteration),
    scene: { ...scene, iteration, ...(task && { task }) },
    conversation,
  };
}

/** A queue that failed with tasks left gets as many iterations again when the session is resumed. */
const limitNow = (loop: Loop, stage: StagePlan): number =>
  limitOf(stage) * (stage.termination.type === 'queue' ? 1 + loop.failures : 1);

interface Iterated {
  end: StageEnd;
  changedFiles: ReadonlySet<string>;
}

async function iterate(loop: Loop, scene: Scene, stage: StagePlan, maxIterations: number): Promise<Iterated> {
  const changedFiles = new Set<string>();
  let [failures, stops] = [0, 0];
  let lastDecision: string | undefined;
  let last: StageEnd['last'];
  const ended = (iterations: number, reason: string): Iterated => ({
    end: {
      ...{ iterations, reason, maxIterations },
      ...(lastDecision !== undefined && { lastDecision }),
      ...(last && { last }),
    },
    changedFiles,
  });
  for (let iteration = 1; iteration <= maxIterations; iteration += 1) {
    const key = iterationKey(stage.index, iteration);
    await settleBetween(loop, scene, stage, key);
    const taken = await taskFor(loop, stage, key);
    if (taken === 'none-left') return ended(iteration - 1, 'queue_empty');
    const task = taken?.task;
    if (iteration > 1) await pause(loop, stage, key);
    const here = {
      ...scene,
      stage,
      iteration,
      maxIterations,
      ...(lastDecision && { lastDecision }),
      ...(task && { task }),
    };
    loop.here.scene = here;
    const end = await loop.durable
      .whole<IterationEnd>(key, async attempt => {
        const end = await runIteration(loop, { key, scene: here, attempt, ...(task && { task }) });
        if (end.kind === 'completed') checkTaken(loop, taken, key);
        return end;
      })
      .catch((error: unknown) => {
        noteLast(loop, key, here, loop.seat.conversationOf(key));
        throw error;
      });
    noteLast(loop, key, here, end.conversation);
    if (end.conversation !== undefined)
      last = { iteration, conversation: end.conversation, ...(here.task && { task: here.task }) };
    lastDecision = end.kind === 'failed' ? 'error' : end.decision;
    loop.here.scene = { ...here, lastDecision };
    if (end.kind === 'failed') {
      failures += 1;
      checkFailures(loop, stage, { key, iteration, maxIterations, failures, error: end.error });
      checkTaken(loop, taken, key);
      continue;
    }
    failures = 0;
    if (task && claimOf(loop, task.id) === 'open' && !claimedIn(loop, stage).has(task.id))
      tellOpen(loop, iteration, task);
    for (const file of end.changedFiles ?? []) changedFiles.add(file);
    stops = end.decision === 'stop' ? stops + 1 : 0;
    const { termination } = stage;
    if (termination.type === 'judgment' && iteration >= termination.minIterations && stops >= termination.consensus)
      return ended(iteration, isJudged(loop, stage) ? 'judged' : 'consensus');
  }
  await settleBetween(loop, scene, stage, stageKey(stage.index, 'queue'));
  const isEmptied = stage.termination.type === 'queue' && leftIn(loop, stage).length === 0;
  return ended(maxIterations, isEmptied ? 'queue_empty' : 'max_iterations');
}

function tellOpen({ watcher, mask }: Loop, iteration: number, { id, content }: OpenTask): void {
  watcher.remark({ level: 'info', text: mask(`iteration ${iteration} leaves task ${id} "${content}" open`) });
}

/** Every box that was ticked meets its gates before the next task is taken. */
async function settleBetween(loop: Loop, scene: Scene, stage: StagePlan, key: StepKey): Promise<void> {
  if (provesTasks(stage) && !loop.durable.isDone(key)) await settleClaims(loop, scene, key);
}

/** What hooks have still to say at the end goes into the last conversation there was. */
function noteLast(loop: Loop, key: StepKey, scene: Scene, conversation: string | undefined): void {
  if (conversation !== undefined) loop.here.last = { key, scene, conversation };
}

/** Which task an iteration takes must be the same after a crash, whatever has been ticked by then. */
async function taskFor(loop: Loop, stage: StagePlan, key: StepKey): Promise<Taken | undefined | 'none-left'> {
  if (stage.termination.type !== 'queue' || loop.durable.isDone(key)) return undefined;
  const task = await loop.durable.value<Taken['task'] | null>(
    partOf(key, 'task'),
    () => nextOpenTask(loop, claimedIn(loop, stage)) ?? null,
  );
  if (!task) return 'none-left';
  const listed = await loop.durable.value(partOf(key, 'listed'), () => listedIds(loop));
  if (isUntouched(taskStatus(loop.durable.tasks(), task.id, false)))
    await loop.durable.changeTask({ kind: 'task.started', id: task.id });
  return { task: wholeTask(loop, task), listed };
}

const isUntouched = (status: Task['status'] | undefined): boolean => status === undefined || status === 'open';

async function pause(loop: Loop, { delayMs }: StagePlan, key: StepKey): Promise<void> {
  if (delayMs === 0 || loop.durable.isDone(key)) return;
  const longestMs = 2 ** 31 - 1;
  for (let left = delayMs; left > 0; left -= longestMs)
    await delay(Math.min(left, longestMs), undefined, { signal: loop.stop }).catch(() => {});
  if (loop.stop.aborted) throw new SessionEnd('interrupted', 'between two iterations');
}

interface Failure {
  key: StepKey;
  iteration: number;
  maxIterations: number;
  failures: number;
  error: string;
}

function checkFailures(
  loop: Loop,
  stage: StagePlan,
  { key, iteration, maxIterations, failures, error }: Failure,
): void {
  const allowed = allowedFailures(loop);
  if (failures < allowed && iteration < maxIterations) return;
  const inRow = failures > 1 ? ` (${failures} failed in a row)` : '';
  throw new SessionEnd('failed', `iteration ${iteration} of stage ${stage.id} failed${inRow}: ${error}`, { at: key });
}

/** An agent that cannot start must not loop for ever; a hook that helps it to recover gives it some more tries. */
function allowedFailures(loop: Loop): number {
  const said = loop.settings.maxFailures ?? loop.maxFailures;
  if (said !== undefined) return Math.max(1, said);
  return loop.hooks.some(({ recovers, disabled }) => recovers && !disabled) ? 3 : 1;
}

function leftIn(loop: Loop, stage: StagePlan): readonly Task[] {
  const claimed = claimedIn(loop, stage);
  return openTasks(loop).filter(({ id }) => !claimed.has(id));
}

async function checkQueue(loop: Loop, scene: Scene, stage: StagePlan, iterations: number): Promise<void> {
  if (stage.termination.type !== 'queue') return;
  const left = leftIn(loop, stage);
  if (left.length === 0) return;
  const named = left.slice(0, 5).map(({ id, content }) => `${id} "${content.slice(0, 60)}"`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : '';
  const reason = `${left.length} ${left.length === 1 ? 'task is' : 'tasks are'} left after ${iterations} ${iterations === 1 ? 'iteration' : 'iterations'} of stage ${stage.id}: ${named.join(', ')}${more}`;
  const key = stageKey(stage.index, 'queue');
  await fireOnError(loop, { ...scene, iteration: iterations }, { key: partOf(key, 'error'), error: reason });
  // All its iterations are done: there is nothing to do anew, only more to do.
  throw new SessionEnd('failed', reason, { at: key });
}
