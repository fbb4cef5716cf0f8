import { maskDeep } from '../model/mask.ts';
import type { StagePlan } from '../model/pipeline.ts';
import { partOf, type StepKey } from '../model/step-key.ts';
import { readRegularFile } from '../platform/files.ts';
import { buildContext, fromStages, stageOutputs } from '../session/inputs.ts';
import type { IterationStatus } from '../session/iteration-files.ts';
import { beginIteration, finishIteration } from '../session/iteration-files.ts';
import { iterationPaths } from '../session/paths.ts';
import { taskStatus } from '../session/tasks.ts';
import { type ChangedFiles, watchChangedFiles } from './changed-files.ts';
import { claimOf } from './done-tasks.ts';
import { refusalText } from './fire.ts';
import { areGatesToDecide, passGates } from './gates.ts';
import { chooseAgent } from './limited-turns.ts';
import type { Loop } from './loop-parts.ts';
import type { OpenTask } from './open-tasks.ts';
import { fillPrompt, promptVariables } from './pipeline/fill-prompt.ts';
import { howTaskIsDone } from './pipeline/short-forms.ts';
import { type JudgeAnswer, type Outside, type Position, type Session, warn } from './session.ts';
import { endedIn } from './session-end.ts';
import type { Stall } from './stall-watch.ts';
import { answerStall, type Quiet, watchQuiet } from './stalling.ts';
import type { Talk } from './talk.ts';
import { say, type Talked } from './turns.ts';

export interface IterationOptions {
  key: StepKey;
  position: Position & { stage: StagePlan; iteration: number; maxIterations: number };
  task?: OpenTask;
  attempt: number;
  /** The iterations before it on the same task that changed nothing. */
  quiet?: Quiet | undefined;
}

export type IterationEnd =
  | {
      kind: 'completed';
      decision: 'continue' | 'stop';
      changedFiles?: readonly string[];
      conversation?: string;
      quiet?: Quiet;
    }
  | { kind: 'failed'; error: string; conversation?: string }
  /** Its task has failed, and is no reason to end the session here. */
  | { kind: 'given-up'; error: string; conversation?: string };

/** One iteration: a fresh conversation with the agent and the hooks around it. */
export async function runIteration(loop: Loop, options: IterationOptions): Promise<IterationEnd> {
  const { session, agent } = loop;
  const talk: Talk = { position: options.position, key: options.key, prompt: promptOf(session, options) };
  // Hooks of its beginning see who will work.
  if (options.attempt === 1) await chooseAgent(session, talk, false);
  const changes = watchChangedFiles(session, options.position, options.key);
  const end = await work(loop, talk, options, changes).catch(async (error: unknown) => {
    await changes?.leave();
    throw error;
  });
  if (end.kind !== 'completed') await afterFailure(loop, talk, end);
  const id = agent.idOf(options.key);
  return { ...end, ...(id !== undefined && { conversation: id }) };
}

async function work(loop: Loop, talk: Talk, options: IterationOptions, changes: ChangedFiles): Promise<IterationEnd> {
  const { session, fire } = loop;
  const { key, position } = options;
  const { durable, paths } = session;
  const before = await mayBegin(loop, talk, options);
  if ('refused' in before) return { kind: 'failed', error: before.refused };
  const { posted } = before;
  if (posted?.kind === 'failed') return posted;
  await changes?.begin();
  await loop.base.begin();
  begin(loop, talk, options);
  const watch = watchQuiet(session, key, options.task, options.quiet);
  await watch.begin();
  const first = posted ?? (await withAgent(loop, talk, before.text, position.stage.role));
  const isOpen = (): boolean => options.task !== undefined && claimOf(session, options.task.id) === 'open';
  const { quiet, stall } = first.kind === 'ended' && !posted ? await watch.end(first.text, isOpen) : {};
  const last = stall ? await afterStall(loop, talk, stall, position.stage.role) : first;
  if (last.kind !== 'ended') return { kind: options.task ? last.kind : 'failed', error: last.reason };
  const status = await durable.value(partOf(key, 'status'), async () => {
    const said = await finishIteration(paths, position.stage, position.iteration, last.text, session.mask);
    return maskDeep(said, session.mask) as IterationStatus;
  });
  if (status.decision === 'error')
    return { kind: 'failed', error: status.reason ?? 'the agent ended the iteration with an error' };
  const changedFiles = await changes?.found();
  const decision = await voteOf(session, options, { own: status.decision, prompt: talk.prompt });
  await fire({ ...position, lastDecision: decision }, 'iteration.completed', {
    key: partOf(key, 'completed'),
    fields: {
      ...(changedFiles && { changedFiles }),
      ...(position.engine.listensTo('iteration.completed') && { stageOutputs: stageOutputs(paths, position.stage) }),
      ...(isJudged(session, position.stage) && { decidedBy: 'judge' }),
    },
  });
  return { kind: 'completed', decision, ...(changedFiles && { changedFiles }), ...(quiet && { quiet }) };
}

async function withAgent(loop: Loop, talk: Talk, before: string, role: StagePlan['role']): Promise<Talked> {
  const message = { before, text: talk.prompt };
  const first = await say(loop, talk, partOf(talk.key, 'work'), message, ['next-iteration', 'next-prompt']);
  return first.kind !== 'ended' || role !== 'builder' ? first : passGates(loop, talk, first);
}

/** The agent hears that it only repeats itself, and has another turn to do better. */
async function afterStall(loop: Loop, talk: Talk, stall: Stall, role: StagePlan['role']): Promise<Talked> {
  const key = partOf(talk.key, 'again');
  const answer = await answerStall(loop, talk.position, key, stall);
  if ('givenUp' in answer) return { kind: 'given-up', reason: answer.givenUp };
  const said = await say(loop, talk, partOf(key, 'work'), answer);
  return said.kind !== 'ended' || role !== 'builder' ? said : passGates(loop, talk, said, key);
}

type Posted = { kind: 'ended'; text: string } | { kind: 'failed'; error: string };

/** Whether a hook has done the task itself before the agent was called, or has said that it cannot be done. */
async function postedBy(
  session: Session,
  key: StepKey,
  { id }: OpenTask,
  isLast: boolean,
): Promise<Posted | undefined> {
  const tasks = session.durable.tasks();
  const status = tasks.unchecked.has(id) ? 'done' : taskStatus(tasks, id, false);
  const givenUp = status === 'failed' ? tasks.givenUp.get(id) : undefined;
  const isFailed = givenUp?.inRun === session.run.number;
  const isPosted = status === 'done' || isFailed;
  if (!isPosted && !isLast) return undefined;
  // What is marked after a crash may be the agent's word.
  const known = await session.durable.value(partOf(key, 'posted'), () => (isPosted ? status : 'open'));
  if (known === 'done') return { kind: 'ended', text: '' };
  return known === 'failed' && isFailed ? { kind: 'failed', error: `task ${id} failed: ${givenUp.reason}` } : undefined;
}

/**
 * Hooks before the agent is called. What they say goes with the prompt, what they refuse does not happen, and a task that
 * one of them has posted does not start any more.
 */
async function mayBegin(
  { session, fire }: Loop,
  { position, prompt }: Talk,
  { key, task }: IterationOptions,
): Promise<{ text: string; posted?: Posted } | { refused: string }> {
  const texts = [lastRefusal(session, task)].filter(text => text !== '');
  const events = [
    ['iteration.starting', {}],
    ...(task ? [['task.starting', {}] as const] : []),
    ['prompt.submitting', { message: prompt }],
  ] as const;
  for (const [name, fields] of events) {
    const eventKey = partOf(key, name);
    const result = await fire(position, name, { key: eventKey, fields });
    if (result.decision.kind !== 'proceed') return { refused: refusalText(result) };
    session.durable.notes.feedback(eventKey, result.feedback, result);
    if (result.feedback !== '') texts.push(result.feedback);
    const posted = task && (await postedBy(session, key, task, name === 'prompt.submitting'));
    if (posted) return { text: '', posted };
  }
  return { text: texts.join('\n') };
}

/** What the gates said when the task was last said to be done: this conversation has not heard it. */
function lastRefusal({ durable }: Session, task: OpenTask | undefined): string {
  const refusal = task && durable.tasks().refusals.get(task.id);
  return refusal === undefined ? '' : `When this task was last worked on, its checks refused it:\n\n${refusal}`;
}

function begin(
  { session: { durable, paths, plan, values, mask }, agent }: Loop,
  talk: Talk,
  { key, position, attempt }: IterationOptions,
): void {
  const { stage, iteration, maxIterations } = position;
  // Everything is done already where only the end is left to be told.
  if (durable.isDone(partOf(key, 'status'))) return;
  const context = buildContext({ paths, plan, stage, iteration, maxIterations, values });
  const goesOn = attempt > 1 && agent.idOf(key) !== undefined;
  beginIteration(paths, stage, iteration, { prompt: mask(talk.prompt), context, goesOn });
}

type NotCompleted = Exclude<IterationEnd, { kind: 'completed' }>;

/** The session may go on after a failure; what hooks have to say to that reaches the agent at once. */
async function afterFailure(loop: Loop, talk: Talk, { kind, error }: NotCompleted): Promise<void> {
  const { session, fire, agent } = loop;
  const key = partOf(talk.key, 'failed');
  const result = await fire(talk.position, 'iteration.failed', { key, fields: { error } });
  // What is given up has nothing to recover for.
  if (kind === 'given-up' || result.feedback === '' || agent.idOf(talk.key) === undefined) return;
  session.durable.notes.feedback(key, result.feedback, result);
  const recovered = await say(loop, talk, partOf(talk.key, 'recovery'), { text: result.feedback });
  if (recovered.kind !== 'ended') warn(session, `the recovery prompt failed as well: ${recovered.reason}`);
}

function promptOf(session: Session, { position, task }: IterationOptions): string {
  const { paths, plan, settings, values } = session;
  const { stage, iteration, maxIterations } = position;
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
  const byGates = areGatesToDecide(session, position);
  const named = {
    ...{ ...variables, TASK: task.text, TASK_ID: task.id, TASKS_FILE: source },
    TASK_DONE: howTaskIsDone(task.id, byGates),
  };
  const filled = fillPrompt(stage.prompt, named);
  return /\$\{TASK(_ID)?\}/.test(stage.prompt) ? filled : `${filled.trimEnd()}\n\n${taskNote(task, byGates)}`;
}

/** For prompts that do not name the task themselves. */
function taskNote({ id, text }: OpenTask, byGates: boolean): string {
  const byAgent = `When it is done, mark it: call the tool task_done with id "${id}", or run \`hookloop task done ${id}\`.`;
  return `Your task in this iteration (${id}):\n\n${text}\n\n${byGates ? howTaskIsDone(id, true) : byAgent}\n`;
}

const maxOutputBytes = 16 * 1024 * 1024;

/** Whether a judge decides in place of the agent when the stage is done. */
export const isJudged = (session: Session, { termination }: StagePlan): boolean =>
  judgeOf(session, termination) !== undefined;

/** The iteration's vote: the agent's own, or that of the judge who ends the stage. A judge without an answer does not end it. */
async function voteOf(
  session: Session,
  { key, position }: IterationOptions,
  { own, prompt }: { own: 'continue' | 'stop'; prompt: string },
): Promise<'continue' | 'stop'> {
  const { stage, iteration, maxIterations } = position;
  const asked = judgeOf(session, stage.termination);
  if (!asked) return own;
  const { judge, askJudge } = asked;
  const answer = await session.durable.step<JudgeAnswer>(partOf(key, 'judged'), async () => {
    const { output: outputFile } = iterationPaths(session.paths, stage, iteration);
    const found = readRegularFile(outputFile, maxOutputBytes);
    const output = found.kind === 'bytes' ? found.bytes.toString() : '';
    const facts = { stage: stage.id, iteration, maxIterations, prompt, output, outputFile };
    const said = await askJudge(judge, facts, session.stop);
    if (session.stop.aborted) throw endedIn(session, 'while a judge was asked');
    return said.kind === 'judged' ? { ...said, reason: session.mask(said.reason) } : said;
  });
  if (answer.kind === 'failed') {
    warn(session, `the judge of stage ${stage.id} gave no answer, so the stage continues: ${answer.reason}`);
    return 'continue';
  }
  const text = `the judge of stage ${stage.id} says ${answer.ok ? 'done' : 'not done'}: ${answer.reason}`;
  session.watcher.remark({ level: 'info', text });
  return answer.ok ? 'stop' : 'continue';
}

function judgeOf(
  { outside: { askJudge } }: Session,
  termination: StagePlan['termination'],
): { judge: string; askJudge: NonNullable<Outside['askJudge']> } | undefined {
  if (termination.type !== 'judgment' || termination.judge === undefined || !askJudge) return undefined;
  return { judge: termination.judge, askJudge };
}
