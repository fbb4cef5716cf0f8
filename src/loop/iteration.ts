import { maskDeep } from '../hooks/secrets/mask.ts';
import type { StagePlan } from '../model/pipeline.ts';
import { partOf, type StepKey } from '../model/step-key.ts';
import { buildContext, fromStages, stageOutputs } from '../session/inputs.ts';
import type { IterationStatus } from '../session/iteration.ts';
import { beginIteration, finishIteration } from '../session/iteration.ts';
import { iterationPaths } from '../session/paths.ts';
import { taskStatus } from '../session/tasks.ts';
import type { OpenTask } from './board.ts';
import { type ChangedFiles, watchChangedFiles } from './changed-files.ts';
import { fire, refusalText } from './fire.ts';
import { areGatesToDecide, passGates } from './gates.ts';
import { isJudged, voteOf } from './judgment.ts';
import type { Loop, Scene } from './loop.ts';
import { fillPrompt, promptVariables } from './pipeline/fill-prompt.ts';
import { howTaskIsDone } from './pipeline/short-forms.ts';
import { say, type Talk, type Talked } from './turns.ts';

export interface IterationOptions {
  key: StepKey;
  scene: Scene & { stage: StagePlan; iteration: number; maxIterations: number };
  task?: OpenTask;
  attempt: number;
}

export type IterationEnd =
  | { kind: 'completed'; decision: 'continue' | 'stop'; changedFiles?: readonly string[]; conversation?: string }
  | { kind: 'failed'; error: string; conversation?: string };

/** One iteration: a fresh conversation with the agent and the hooks around it. */
export async function runIteration(loop: Loop, options: IterationOptions): Promise<IterationEnd> {
  const talk: Talk = { scene: options.scene, key: options.key, prompt: promptOf(loop, options) };
  const changes = watchChangedFiles(loop, options.scene, options.key);
  const end = await work(loop, talk, options, changes).catch(async (error: unknown) => {
    await changes?.leave();
    throw error;
  });
  if (end.kind === 'failed') await afterFailure(loop, talk, end.error);
  const conversation = loop.seat.conversationOf(options.key);
  return { ...end, ...(conversation !== undefined && { conversation }) };
}

async function work(
  loop: Loop,
  talk: Talk,
  options: IterationOptions,
  changes: ChangedFiles | undefined,
): Promise<IterationEnd> {
  const { key, scene } = options;
  const { durable, paths } = loop;
  const before = await mayBegin(loop, talk, options);
  if ('refused' in before) return { kind: 'failed', error: before.refused };
  const { posted } = before;
  if (posted?.kind === 'failed') return posted;
  await changes?.begin();
  begin(loop, talk, options);
  const last = posted ?? (await withAgent(loop, talk, before.text, scene.stage.role));
  if (last.kind === 'failed') return { kind: 'failed', error: last.reason };
  const status = await durable.value(partOf(key, 'status'), async () => {
    const said = await finishIteration(paths, scene.stage, scene.iteration, last.text, loop.mask);
    return maskDeep(said, loop.mask) as IterationStatus;
  });
  if (status.decision === 'error')
    return { kind: 'failed', error: status.reason ?? 'the agent ended the iteration with an error' };
  const changedFiles = await changes?.found();
  const decision = await voteOf(loop, options, { own: status.decision, prompt: talk.prompt });
  await fire(loop, { ...scene, lastDecision: decision }, 'iteration.completed', {
    key: partOf(key, 'completed'),
    fields: {
      ...(changedFiles && { changedFiles }),
      ...(scene.engine.listensTo('iteration.completed') && { stageOutputs: stageOutputs(paths, scene.stage) }),
      ...(isJudged(loop, scene.stage) && { decidedBy: 'judge' }),
    },
  });
  return { kind: 'completed', decision, ...(changedFiles && { changedFiles }) };
}

async function withAgent(loop: Loop, talk: Talk, before: string, role: StagePlan['role']): Promise<Talked> {
  const message = { before, text: talk.prompt };
  const first = await say(loop, talk, partOf(talk.key, 'work'), message, ['next-iteration', 'next-prompt']);
  return first.kind === 'failed' || role !== 'builder' ? first : passGates(loop, talk, first);
}

type Posted = { kind: 'ended'; text: string } | { kind: 'failed'; error: string };

/** Whether a hook has done the task itself before the agent was called, or has said that it cannot be done. */
async function postedBy(loop: Loop, key: StepKey, { id }: OpenTask, isLast: boolean): Promise<Posted | undefined> {
  const tasks = loop.durable.tasks();
  const status = tasks.unchecked.has(id) ? 'done' : taskStatus(tasks, id, false);
  const givenUp = status === 'failed' ? tasks.givenUp.get(id) : undefined;
  const isFailed = givenUp?.inRun === loop.run.number;
  const isPosted = status === 'done' || isFailed;
  if (!isPosted && !isLast) return undefined;
  // What is marked after a crash may be the agent's word.
  const known = await loop.durable.value(partOf(key, 'posted'), () => (isPosted ? status : 'open'));
  if (known === 'done') return { kind: 'ended', text: '' };
  return known === 'failed' && isFailed ? { kind: 'failed', error: `task ${id} failed: ${givenUp.reason}` } : undefined;
}

/**
 * Hooks before the agent is called. What they say goes with the prompt, what they refuse does not happen, and a task that
 * one of them has posted does not start any more.
 */
async function mayBegin(
  loop: Loop,
  { scene, prompt }: Talk,
  { key, task }: IterationOptions,
): Promise<{ text: string; posted?: Posted } | { refused: string }> {
  const texts = [lastRefusal(loop, task)].filter(text => text !== '');
  const events = [
    ['iteration.starting', {}],
    ...(task ? [['task.starting', {}] as const] : []),
    ['prompt.submitting', { message: prompt }],
  ] as const;
  for (const [name, fields] of events) {
    const result = await fire(loop, scene, name, { key: partOf(key, name), fields });
    if (result.decision.kind !== 'proceed') return { refused: refusalText(result) };
    if (result.feedback !== '') texts.push(result.feedback);
    const posted = task && (await postedBy(loop, key, task, name === 'prompt.submitting'));
    if (posted) return { text: '', posted };
  }
  return { text: texts.join('\n') };
}

/** What the gates said when the task was last said to be done: this conversation has not heard it. */
function lastRefusal({ durable }: Loop, task: OpenTask | undefined): string {
  const refusal = task && durable.tasks().refusals.get(task.id);
  return refusal === undefined ? '' : `When this task was last worked on, its checks refused it:\n\n${refusal}`;
}

function begin(
  { durable, paths, plan, values, mask }: Loop,
  talk: Talk,
  { key, scene, attempt }: IterationOptions,
): void {
  const { stage, iteration, maxIterations } = scene;
  // Everything is done already where only the end is left to be told.
  if (durable.isDone(partOf(key, 'status'))) return;
  const context = buildContext({ paths, plan, stage, iteration, maxIterations, remainingSeconds: null, values });
  const goesOn = attempt > 1 && durable.known(partOf(key, 'conversation')) !== undefined;
  beginIteration(paths, stage, iteration, { prompt: mask(talk.prompt), context, goesOn });
}

/** The session may go on after a failure; what hooks have to say to that reaches the agent at once. */
async function afterFailure(loop: Loop, talk: Talk, error: string): Promise<void> {
  const result = await fire(loop, talk.scene, 'iteration.failed', {
    key: partOf(talk.key, 'failed'),
    fields: { error },
  });
  if (result.feedback === '' || loop.seat.conversationOf(talk.key) === undefined) return;
  const recovered = await say(loop, talk, partOf(talk.key, 'recovery'), { text: result.feedback });
  if (recovered.kind === 'failed')
    loop.watcher.remark({ level: 'warning', text: `the recovery prompt failed as well: ${recovered.reason}` });
}

function promptOf(loop: Loop, { scene, task }: IterationOptions): string {
  const { paths, plan, settings, values } = loop;
  const { stage, iteration, maxIterations } = scene;
  const variables = promptVariables({
    session: paths.name,
    stage: stage.id,
    iteration,
    maxIterations,
    perspectives: stage.perspectives,
    context: paths.current.context,
    status: paths.current.status,
    progress: paths.progress,
    output: iterationPaths(paths, stage, iteration).output,
    inputs: values,
    fromStage: fromStages(paths, plan, stage),
    ...(settings.child && { spawnOutput: paths.output }),
  });
  if (!task) return fillPrompt(stage.prompt, variables);
  const source = task.isOnList ? (settings.tasksFile ?? '') : `session ${paths.name}`;
  const byGates = areGatesToDecide(loop, scene);
  const named = {
    ...{ ...variables, TASK: task.text, TASK_ID: task.id, TASKS_FILE: source },
    TASK_DONE: howTaskIsDone(task.id, byGates),
  };
  const filled = fillPrompt(stage.prompt, named);
  return /\$\{TASK(_ID)?\}/.test(stage.prompt) ? filled : `${filled.trimEnd()}\n\n${taskNote(task, byGates)}`;
}

/** For prompts that do not say themselves where the task stands. */
function taskNote({ id, text }: OpenTask, byGates: boolean): string {
  const byAgent = `When it is done, mark it: call the tool task_done with id "${id}", or run \`hookloop task done ${id}\`.`;
  return `Your task in this iteration (${id}):\n\n${text}\n\n${byGates ? howTaskIsDone(id, true) : byAgent}\n`;
}
