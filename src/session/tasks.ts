import type { Task, TaskRecord } from '../model/record.ts';

export type { Task, TaskRecord };

/** The session's tasks in the order they were added, and what was said about tasks of a checklist. */
export interface TaskStore {
  readonly tasks: ReadonlyMap<string, Task>;
  readonly marks: ReadonlyMap<string, Task['status']>;
}

export const noTasks: TaskStore = { tasks: new Map(), marks: new Map() };

export const isTaskRecord = (record: { kind?: unknown }): record is TaskRecord =>
  typeof record.kind === 'string' && Object.hasOwn(statusAfter, record.kind);

/** The store after some more records. Pure: the one given stays as it is. */
export function foldTasks(records: Iterable<TaskRecord>, before: TaskStore = noTasks): TaskStore {
  const tasks = new Map(before.tasks);
  const marks = new Map(before.marks);
  for (const record of records) {
    if (record.kind === 'task.added') {
      if (!tasks.has(record.id)) tasks.set(record.id, { id: record.id, content: record.content, status: 'open' });
      continue;
    }
    const task = tasks.get(record.id);
    const status = statusAfter[record.kind];
    const note =
      record.kind === 'task.done' ? record.summary : record.kind === 'task.dropped' ? record.reason : undefined;
    if (task) tasks.set(record.id, { ...task, status, ...(note !== undefined && { note }) });
    else marks.set(record.id, status);
  }
  return { tasks, marks };
}

const statusAfter = {
  'task.added': 'open',
  'task.started': 'started',
  'task.done': 'done',
  'task.dropped': 'dropped',
} as const satisfies Record<TaskRecord['kind'], Task['status']>;

/** What a checklist's task is besides its box: done or dropped by word. */
export const isSettled = (store: TaskStore, id: string): boolean => isFinal(statusOf(store, id));

/** The first of the session's own tasks that is neither done nor dropped. */
export function nextTask(store: TaskStore): Task | undefined {
  for (const task of store.tasks.values()) if (!isFinal(task.status)) return task;
  return undefined;
}

export type TaskChange =
  | { kind: 'record'; record: TaskRecord }
  /** It is so already: asked again after a crash, or twice by the agent. */
  | { kind: 'unchanged' }
  | { kind: 'refused'; reason: string };

export function addTask(store: TaskStore, content: string): TaskChange {
  const text = content.trim();
  if (text === '') return { kind: 'refused', reason: 'a task needs a text' };
  return { kind: 'record', record: { kind: 'task.added', id: `T${highest(store) + 1}`, content: text } };
}

/** `isKnown` says whether an id that is not in the store belongs to a checklist. */
export function changeTask(
  store: TaskStore,
  record: Exclude<TaskRecord, { kind: 'task.added' }>,
  isKnown = (_id: string) => false,
): TaskChange {
  const before = statusOf(store, record.id) ?? (isKnown(record.id) ? 'open' : undefined);
  if (before === undefined) return { kind: 'refused', reason: `there is no task ${JSON.stringify(record.id)}` };
  const after = statusAfter[record.kind];
  if (before === after) return { kind: 'unchanged' };
  if (isFinal(before)) return { kind: 'refused', reason: `task ${record.id} is ${before} already` };
  return { kind: 'record', record };
}

const isFinal = (status: Task['status'] | undefined): boolean => status === 'done' || status === 'dropped';

const statusOf = (store: TaskStore, id: string): Task['status'] | undefined =>
  store.tasks.get(id)?.status ?? store.marks.get(id);

/** Not the number of tasks: an id is never given twice, whatever the journal has lost. */
function highest(store: TaskStore): number {
  let high = 0;
  for (const id of store.tasks.keys()) high = Math.max(high, Number(/^T(\d+)$/.exec(id)?.[1] ?? 0));
  return high;
}
