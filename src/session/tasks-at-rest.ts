import type { Task, TaskRecord } from '../model/record.ts';
import { type ChecklistTask, readChecklist } from './checklist.ts';
import type { SessionState } from './state/state.ts';
import type { SessionStore } from './store.ts';
import { addTask, changeTask, listTasks, type TaskStore, type TaskWord, taskStatus } from './tasks.ts';

export type Unusable =
  | { kind: 'damaged' | 'lost'; reason: string }
  /** Someone has the session, and may not be ready to be asked. */
  | { kind: 'busy'; pid?: number }
  | { kind: 'failed'; reason: string };

export type TasksAtRest = { kind: 'tasks'; tasks: readonly Task[]; warning?: string } | Unusable;

/** What is to change. */
export type TaskWish = { kind: 'task.added'; content: string } | TaskWord;

export type ChangedAtRest =
  | { kind: 'recorded'; record: Extract<TaskRecord, { kind: 'task.added' }> | TaskWord }
  | { kind: 'unchanged' }
  | { kind: 'unknown'; ids: readonly string[] }
  | { kind: 'refused'; reason: string }
  | Unusable;

/** A session's tasks as its journal and its checklist have them, whoever works on it. */
export async function readTasksAtRest(store: SessionStore, name: string): Promise<TasksAtRest> {
  const { state, end } = await store.state(name);
  if (end.kind === 'unreadable') return { kind: 'failed', reason: `its journal cannot be read: ${end.reason}` };
  if (end.kind === 'damaged') return damaged(end.damage);
  const tasksFile = (await store.startOf(name))?.settings.tasksFile;
  const { tasks, warning } = tasksIn(state, tasksFile);
  return { kind: 'tasks', tasks, ...(warning !== undefined && { warning }) };
}

/** Writes a change into the journal of a session that does not run. No hooks fire. */
export async function changeAtRest(store: SessionStore, name: string, wish: TaskWish): Promise<ChangedAtRest> {
  const held = await store.hold(name);
  if (held.kind === 'damaged') return damaged(held.damage);
  if (held.kind === 'lost') return { kind: 'lost', reason: 'it has run, but its journal is empty or gone' };
  if (held.kind === 'empty') return { kind: 'failed', reason: 'it has no journal: its start was cut short' };
  if (held.kind === 'busy' || held.kind === 'failed') return held;
  if (held.kind !== 'held') return { kind: 'failed', reason: 'there is no such session' };
  try {
    if (wish.kind === 'task.added' && held.state.closed?.status === 'completed')
      return {
        kind: 'refused',
        reason: `session ${name} has finished, so no one would do the task; start a new session with hookloop run`,
      };
    const change = changeIn(tasksIn(held.state, held.start.settings.tasksFile), wish);
    if (change.kind !== 'record') return change;
    await held.journal.append(change.record);
    return { kind: 'recorded', record: change.record };
  } catch (error) {
    return { kind: 'failed', reason: `its journal cannot be written: ${(error as Error).message}` };
  } finally {
    await held.lease.release();
  }
}

const damaged = ({ line, reason }: { line: number; reason: string }): Unusable => ({
  kind: 'damaged',
  reason: `its journal is damaged at line ${line}: ${reason}`,
});

function changeIn({ store, checklist, tasks }: SessionTasks, wish: TaskWish) {
  if (wish.kind === 'task.added') return addTask(store, wish.content);
  const before = tasks.find(({ id }) => id === wish.id);
  if (!before) return { kind: 'unknown' as const, ids: tasks.map(({ id }) => id) };
  const isTicked = checklist.some(({ id, ticked }) => id === wish.id && ticked);
  if (isTicked && taskStatus(store, wish.id, isTicked) === 'done') {
    if (wish.kind === 'task.done') return { kind: 'unchanged' as const };
    return { kind: 'refused' as const, reason: `task ${wish.id} is already done: its box is ticked` };
  }
  // Its gates are asked when the session goes on.
  const record = wish.kind === 'task.done' ? { ...wish, unchecked: true as const } : wish;
  return changeTask(store, record, () => true);
}

interface SessionTasks {
  store: TaskStore;
  checklist: readonly ChecklistTask[];
  tasks: readonly Task[];
  warning?: string;
}

function tasksIn({ tasks: store }: SessionState, tasksFile: string | undefined): SessionTasks {
  const read = tasksFile === undefined ? undefined : readChecklist(tasksFile);
  const checklist = read?.kind === 'checklist' ? read.tasks : [];
  return {
    store,
    checklist,
    tasks: listTasks(store, checklist),
    ...(read?.kind === 'unreadable' && { warning: read.reason }),
  };
}
