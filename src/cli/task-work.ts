import { setTimeout as delay } from 'node:timers/promises';
import { type ControlRequest, hookVariable } from '../model/control.ts';
import { printable } from '../model/index.ts';
import type { Mask } from '../model/mask.ts';
import { didYouMean } from '../model/nearest.ts';
import type { Task } from '../model/record.ts';
import { askSession } from '../session/control/ask.ts';
import { readId, readTasks } from '../session/control/wire.ts';
import {
  type ChangedAtRest,
  changeAtRest,
  readTasksAtRest,
  type TasksAtRest,
  type TaskWish,
} from '../session/tasks-at-rest.ts';
import { UsageError, withHint } from './command.ts';
import { exit } from './exit.ts';
import type { Io } from './io.ts';
import { createColours } from './print/paint.ts';
import type { ChosenSession } from './task-session.ts';
import { taskTable } from './task-table.ts';

export interface TaskWork {
  session: ChosenSession;
  flags: ReadonlySet<string>;
  mask: Mask;
  io: Io;
}

/** A session that runs is asked; what it does not answer stands in its journal. */
export async function showTasks({ session, flags, mask, io }: TaskWork): Promise<number> {
  const found = await currentTasks(session);
  if (found.kind !== 'tasks') return tellUnusable(found, session, io);
  const tasks = found.tasks.map(({ id, content, status }) => ({ id, content: mask(content), status }));
  if (found.warning !== undefined) say(io, `its checklist is left out: ${found.warning}`);
  if (flags.has('json')) io.out(`${JSON.stringify(tasks, null, 2)}\n`);
  else if (tasks.length === 0) say(io, `session ${session.name} has no tasks`);
  else {
    const { color, columns } = io.terminal('out');
    io.out(taskTable(tasks, { colours: createColours(color), columns }));
  }
  return exit.done;
}

/** How long whoever holds a session has to open it for questions, or to let it go. */
const patienceMs = 2000;
const againMs = 50;
const listTimeoutMs = 10_000;

/** Asks the session where it runs, so that its hooks fire; else writes into its journal. */
export async function changeTasks(wish: TaskWish, work: TaskWork): Promise<number> {
  const { session, io } = work;
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const asked = await changeRunning(session.folder, wish, io.env[hookVariable]);
    if (asked.kind !== 'not-running') return tellChange(asked, wish, work);
    const changed = await changeAtRest(session.store, session.name, masked(wish, work.mask));
    if (changed.kind !== 'busy' || performance.now() > untilMs) {
      const code = tellChange(changed, wish, work);
      if (changed.kind === 'recorded' && wish.kind === 'task.done')
        say(io, 'no hooks fired: the session is not running; its gates run when it is resumed');
      return code;
    }
    await delay(againMs);
  }
}

export type TaskPost = Extract<ControlRequest, { method: 'task.post' }>;

/** For hooks of a running session: no one else could run the gates. */
export async function postTask(post: TaskPost, work: TaskWork): Promise<number> {
  const { session, flags, io } = work;
  const reply = await askSession(session.folder, post, { from: io.env[hookVariable] });
  if (reply.kind === 'not-running') {
    say(io, `session ${session.name} is not running: task post is for its hooks, while it runs`);
    return exit.failed;
  }
  if (reply.kind === 'failed') return tellUnusable(reply, session, io);
  if (reply.kind === 'refused') {
    say(io, reply.reason);
    return exit.refused;
  }
  const status = post.status === 'ok' ? 'done' : 'failed';
  if (flags.has('json')) io.out(`${JSON.stringify({ id: post.id, status })}\n`);
  else say(io, `${post.id} ${post.status === 'ok' ? 'is done' : 'has failed'}`);
  return exit.done;
}

async function currentTasks({ store, name, folder }: ChosenSession): Promise<TasksAtRest> {
  const reply = await askSession(folder, { method: 'task.list' }, { timeoutMs: listTimeoutMs });
  const tasks = reply.kind === 'ok' ? readTasks(reply.value) : undefined;
  return tasks ? { kind: 'tasks', tasks } : readTasksAtRest(store, name);
}

async function changeRunning(
  folder: string,
  wish: TaskWish,
  from: string | undefined,
): Promise<ChangedAtRest | { kind: 'not-running' }> {
  if (wish.kind !== 'task.added') {
    const reply = await askSession(folder, { method: 'task.list' }, { timeoutMs: listTimeoutMs });
    if (reply.kind === 'not-running') return reply;
    const tasks = reply.kind === 'ok' ? readTasks(reply.value) : undefined;
    if (tasks && !tasks.some(({ id }) => id === wish.id)) return { kind: 'unknown', ids: tasks.map(({ id }) => id) };
  }
  const reply = await askSession(folder, requestFor(wish), { from });
  if (reply.kind !== 'ok') return reply;
  if (wish.kind !== 'task.added') return { kind: 'recorded', record: wish };
  const id = readId(reply.value);
  return id === undefined
    ? { kind: 'failed', reason: 'it did not say which id the task has' }
    : { kind: 'recorded', record: { ...wish, id } };
}

function requestFor(wish: TaskWish): ControlRequest {
  if (wish.kind === 'task.added') return { method: 'task.add', content: wish.content };
  if (wish.kind === 'task.started') return { method: 'task.start', id: wish.id };
  const { kind, ...rest } = wish;
  return kind === 'task.done' ? { method: 'task.done', ...rest } : { method: 'task.drop', ...rest };
}

/** As everything in a journal. */
function masked(wish: TaskWish, mask: Mask): TaskWish {
  if (wish.kind === 'task.added') return { ...wish, content: mask(wish.content) };
  if (wish.kind === 'task.done' && wish.summary !== undefined) return { ...wish, summary: mask(wish.summary) };
  if (wish.kind === 'task.dropped' && wish.reason !== undefined) return { ...wish, reason: mask(wish.reason) };
  return wish;
}

const statusAfter = {
  'task.added': 'open',
  'task.started': 'started',
  'task.done': 'done',
  'task.dropped': 'dropped',
} as const satisfies Record<TaskWish['kind'], Task['status']>;

function tellChange(changed: ChangedAtRest, wish: TaskWish, { session, flags, io }: TaskWork): number {
  if (changed.kind === 'refused') {
    say(io, changed.reason);
    return exit.refused;
  }
  if (changed.kind === 'unknown') {
    const id = wish.kind === 'task.added' ? '' : wish.id;
    throw new UsageError(withHint(`there is no task ${id} in session ${session.name}`, didYouMean(id, changed.ids)));
  }
  if (changed.kind !== 'recorded' && changed.kind !== 'unchanged') return tellUnusable(changed, session, io);
  const id = changed.kind === 'recorded' ? changed.record.id : (wish as { id: string }).id;
  const status = statusAfter[wish.kind];
  if (flags.has('json')) io.out(`${JSON.stringify({ id, status })}\n`);
  else if (wish.kind === 'task.added') io.out(`${id}\n`);
  else say(io, `${id} is ${status}${changed.kind === 'unchanged' ? ' already' : ''}`);
  return exit.done;
}

type Unusable = Exclude<TasksAtRest, { kind: 'tasks' }>;

function tellUnusable(unusable: Unusable, { name }: ChosenSession, io: Io): number {
  if (unusable.kind === 'busy') {
    const who = unusable.pid === undefined ? 'another process' : `process ${unusable.pid}`;
    say(io, `session ${name} is busy: ${who} has it and cannot be asked`);
    return exit.busy;
  }
  const hint = unusable.kind === 'damaged' ? `; try: hookloop repair ${name}` : '';
  say(io, `session ${name}: ${unusable.reason}${hint}`);
  return unusable.kind === 'failed' ? exit.failed : exit.badInput;
}

const say = (io: Io, text: string): void => io.err(`hookloop task: ${printable(text)}\n`);
