import { setTimeout as delay } from 'node:timers/promises';
import {
  type ControlRequest,
  checkRequest,
  hookVariable,
  readId,
  readTasks,
  type StopAfter,
} from '../model/control.ts';
import type { Mask } from '../model/mask.ts';
import { type AskResult, askSession } from '../session/control/ask-session.ts';
import {
  type ChangedAtRest,
  changeAtRest,
  readTasksAtRest,
  type TasksAtRest,
  type TaskWish,
} from '../session/tasks-at-rest.ts';
import type { Context, Env } from './context.ts';
import { isRunning, type NamedSession } from './sessions.ts';

const listTimeoutMs = 10_000;

/** A session that runs is asked; what it does not answer stands in its journal. */
export async function tasksOf({ store, name, folder }: NamedSession): Promise<TasksAtRest> {
  const reply = await askSession(folder, { method: 'task.list' }, { timeoutMs: listTimeoutMs });
  const tasks = reply.kind === 'ok' ? readTasks(reply.value) : undefined;
  return tasks ? { kind: 'tasks', tasks } : readTasksAtRest(store, name);
}

/** How long whoever holds a session has to open it for questions, or to let it go. */
const patienceMs = 2000;
const againMs = 50;

/** `isAtRest`: it stands in the journal of a session that is not running, so no hooks fired. */
export type TaskChanged = ChangedAtRest & { isAtRest: boolean };

/** Asks the session where it runs, so that its hooks fire; else writes into its journal. */
export async function changeTask(
  wish: TaskWish,
  { store, name, folder }: NamedSession,
  { env, mask }: Context,
): Promise<TaskChanged> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const asked = await changeRunning(folder, wish, env);
    if (asked.kind !== 'not-running') return { ...asked, isAtRest: false };
    const changed = await changeAtRest(store, name, masked(wish, mask));
    if (changed.kind !== 'busy' || performance.now() > untilMs) return { ...changed, isAtRest: true };
    await delay(againMs);
  }
}

async function changeRunning(
  folder: string,
  wish: TaskWish,
  env: Env,
): Promise<ChangedAtRest | { kind: 'not-running' }> {
  if (wish.kind !== 'task.added') {
    const reply = await askSession(folder, { method: 'task.list' }, { timeoutMs: listTimeoutMs });
    if (reply.kind === 'not-running') return reply;
    const tasks = reply.kind === 'ok' ? readTasks(reply.value) : undefined;
    if (tasks && !tasks.some(({ id }) => id === wish.id)) return { kind: 'unknown', ids: tasks.map(({ id }) => id) };
  }
  const reply = await askAsHook(folder, requestFor(wish), env);
  if (reply.kind !== 'ok') return reply;
  if (wish.kind !== 'task.added') return { kind: 'recorded', record: wish };
  const id = readId(reply.value);
  return id === undefined
    ? { kind: 'failed', reason: 'it did not say the id of the task' }
    : { kind: 'recorded', record: { ...wish, id } };
}

const methods = {
  'task.added': 'task.add',
  'task.started': 'task.start',
  'task.done': 'task.done',
  'task.dropped': 'task.drop',
} as const;

const requestFor = ({ kind, ...rest }: TaskWish): ControlRequest =>
  ({ method: methods[kind], ...rest }) as ControlRequest;

/** As everything in a journal. */
function masked(wish: TaskWish, mask: Mask): TaskWish {
  if (wish.kind === 'task.added') return { ...wish, content: mask(wish.content) };
  if (wish.kind === 'task.done' && wish.summary !== undefined) return { ...wish, summary: mask(wish.summary) };
  if (wish.kind === 'task.dropped' && wish.reason !== undefined) return { ...wish, reason: mask(wish.reason) };
  return wish;
}

export type TaskPost = Extract<ControlRequest, { method: 'task.post' }>;

/** For hooks of a running session: no one else could run the gates. */
export const postTask = (post: TaskPost, { folder }: NamedSession, { env }: Context): Promise<AskResult> =>
  askAsHook(folder, post, env);

/** The hook in whose run it is asked stands in its environment. */
const askAsHook = (folder: string, request: ControlRequest, env: Env): Promise<AskResult> =>
  askSession(folder, request, { from: env[hookVariable] });

export const recordScore = ({ folder }: NamedSession, score: { score: number; target?: number }): Promise<AskResult> =>
  askSession(folder, { method: 'score', ...score });

export type Stopped = { kind: 'stopped' | 'asked' | 'not-running' } | { kind: 'refused' | 'failed'; reason: string };

/** Asks the session to stop. Where that is now, waits until it has; `asked`: it still has something to finish. */
export async function stopRunning(session: NamedSession, after: StopAfter): Promise<Stopped> {
  const reply = await askSession(session.folder, { method: 'stop', after }, { timeoutMs: listTimeoutMs });
  if (reply.kind !== 'ok') return reply;
  if (after !== 'now') return { kind: 'asked' };
  for (const untilMs = performance.now() + lastHooksMs; performance.now() < untilMs; await delay(againMs))
    if (!isRunning(session)) return { kind: 'stopped' };
  return { kind: 'asked' };
}

/** The hooks of its end have ten seconds, and the agent some to stop. */
const lastHooksMs = 20_000;

export type AgentAsked = { kind: 'bad'; reason: string } | { kind: 'asked'; request: ControlRequest; reply: AskResult };

/** What the agent's tools ask of its session. Contract: never rejects. */
export async function askAsAgent(sessionFolder: string, given: unknown, signal: AbortSignal): Promise<AgentAsked> {
  const checked = checkRequest(given);
  if (checked.kind === 'bad') return checked;
  const { request } = checked;
  return { kind: 'asked', request, reply: await askSession(sessionFolder, request, { signal }) };
}
