import type { Task, TaskRecord } from '../model/record.ts';
import { type ChecklistTask, textOf } from './checklist.ts';

/** What a person, an agent or a hook can say about a task. */
export type TaskWord = Extract<TaskRecord, { kind: 'task.started' | 'task.done' | 'task.dropped' }>;

/** The session's tasks in the order they were added, and what the record says about tasks of a checklist. */
export interface TaskStore {
  /** The session has looked at its checklist; of those of older versions a ticked box is all that is known. */
  hasLooked: boolean;
  /** The checklist as the session last saw it. */
  listed: readonly ListedTask[];
  /** The checklist when the session began, and which of it counted as done. */
  found: readonly (Pick<Task, 'id' | 'content'> & { done: boolean })[];
  /** Sessions before it whose boxes it did not trust, each with the last record it had by then. */
  after: Readonly<Record<string, number>>;
  readonly tasks: Map<string, Task>;
  readonly marks: Map<string, Task['status']>;
  /** Boxes that count as done: ticked before the session began, or passed by their gates since they were ticked. */
  readonly proven: Set<string>;
  /** Said to be done where no one asked the gates: no session was running, or its stage does not. */
  readonly unchecked: Set<string>;
  /** What the gates last said of tasks that they refused and have not passed since. */
  readonly refusals: Map<string, string>;
  /** The run of the session that gave a task up, and why. */
  readonly givenUp: Map<string, { inRun: number; reason: string }>;
  /** The last run of the session that has failed; what was given up up to then may be done anew. */
  failedRun: number;
  /** What hooks that did a task themselves have made. */
  readonly values: Map<string, unknown>;
}

/** A task of a checklist. `ticked`: its box, where someone has looked. */
export interface ListedTask {
  id: string;
  content: string;
  ticked?: boolean;
}

export const newTasks = (): TaskStore => ({
  hasLooked: false,
  listed: [],
  found: [],
  after: {},
  tasks: new Map(),
  marks: new Map(),
  proven: new Set(),
  unchecked: new Set(),
  refusals: new Map(),
  givenUp: new Map(),
  failedRun: 0,
  values: new Map(),
});

export const isTaskRecord = (record: { kind?: unknown }): record is TaskRecord =>
  typeof record.kind === 'string' &&
  (record.kind === 'tasks.found' || record.kind === 'tasks.listed' || Object.hasOwn(statusAfter, record.kind));

/** Takes in the next record about tasks. */
export function foldTask(store: TaskStore, record: TaskRecord): void {
  if (record.kind === 'tasks.found') {
    store.hasLooked = true;
    store.after = record.after;
    for (const id of record.ticked) store.proven.add(id);
    store.found = store.listed.map(({ id, content }) => ({ id, content, done: store.proven.has(id) }));
  } else if (record.kind === 'tasks.listed') {
    store.listed = record.tasks;
  } else if (record.kind === 'task.added') {
    const { id, content } = record;
    if (!store.tasks.has(id)) store.tasks.set(id, { id, content, status: 'open' });
  } else hear(store, record);
}

function hear(store: TaskStore, record: Exclude<TaskRecord, { kind: OfTheList | 'task.added' }>): void {
  const { kind, id } = record;
  const task = store.tasks.get(id);
  // What no gate was asked about is only said to be done.
  const isClaim = kind === 'task.done' && record.unchecked === true;
  const status = isClaim ? 'started' : statusAfter[kind];
  const note = kind === 'task.done' ? record.summary : kind === 'task.dropped' ? record.reason : undefined;
  if (task) store.tasks.set(id, { ...task, status, ...(note !== undefined && { note }) });
  else if (kind !== 'task.passed' || store.unchecked.has(id)) store.marks.set(id, status);
  // From now on its box counts, unless it was said to be done.
  else if (store.marks.get(id) !== 'done') store.marks.delete(id);
  if (kind === 'task.passed') store.proven.add(id);
  else if (isUndone(kind)) store.proven.delete(id);
  if (isClaim) store.unchecked.add(id);
  else if (kind !== 'task.started') store.unchecked.delete(id);
  if (kind === 'task.refused') store.refusals.set(id, record.text);
  else if (status === 'done') store.refusals.delete(id);
  if (kind === 'task.failed') store.givenUp.set(id, record);
  if (kind === 'task.done' && record.value !== undefined) store.values.set(id, record.value);
}

const isUndone = (kind: TaskRecord['kind']): boolean =>
  kind === 'task.refused' || kind === 'task.reopened' || kind === 'task.failed';

const statusAfter = {
  'task.added': 'open',
  'task.started': 'started',
  'task.done': 'done',
  'task.dropped': 'dropped',
  'task.passed': 'done',
  'task.refused': 'started',
  'task.reopened': 'open',
  'task.failed': 'failed',
} as const satisfies Record<Exclude<TaskRecord['kind'], OfTheList>, Task['status']>;

/** Records that are about no single task. */
type OfTheList = 'tasks.found' | 'tasks.listed';

/**
 * What a task counts as, wherever it is counted; undefined where nothing was said of it. `box`: whether the box of a
 * checklist's task is ticked, where someone has looked. A ticked box alone is a claim: it counts once it is proven.
 */
export function taskStatus(store: TaskStore, id: string, box?: boolean): Task['status'] | undefined {
  const own = store.tasks.get(id);
  if (own) return own.status;
  const mark = store.marks.get(id);
  const counts = store.proven.has(id) || (box === true && !store.hasLooked);
  return mark === 'done' || (box !== false && counts) ? 'done' : mark;
}

/** Every task of a session as others see it: those of its checklist, then its own. */
export const listTasks = (store: TaskStore, checklist: readonly ListedTask[] = store.listed): Task[] => [
  ...checklist.map(
    ({ id, content, ticked }): Task =>
      withReason(store, { id, content, status: taskStatus(store, id, ticked) ?? 'open' }),
  ),
  ...[...store.tasks.values()].map(task => withReason(store, task)),
];

function withReason({ givenUp }: TaskStore, task: Task): Task {
  const reason = task.status === 'failed' ? givenUp.get(task.id)?.reason : undefined;
  return reason === undefined ? task : { ...task, reason };
}

/** Every task that is neither done nor dropped. */
export const openTasks = (store: TaskStore, checklist?: readonly ListedTask[]): Task[] =>
  listTasks(store, checklist).filter(({ status }) => !isFinal(status));

/** Tasks that are said to be done, by their box or by word, and whose gates have not passed since. */
export const claimedTasks = (store: TaskStore, checklist: readonly ChecklistTask[]): Pick<Task, 'id' | 'content'>[] =>
  [
    ...checklist.filter(({ id, ticked }) => (ticked && !isDone(store, id)) || store.unchecked.has(id)),
    ...[...store.tasks.values()].filter(({ id }) => store.unchecked.has(id)),
  ].map(({ id, content }) => ({ id, content }));

/** Proven tasks that are to be done again: their boxes are open, or which of several of the same text was proven shows no more. */
export function reopenedTasks(store: TaskStore, checklist: readonly ChecklistTask[]): string[] {
  const [before, now] = [countTexts(store.listed), countTexts(checklist)];
  const isConfused = (id: string): boolean => (now.get(textOf(id)) ?? 0) < (before.get(textOf(id)) ?? 0);
  return checklist
    .filter(({ id, ticked }) => store.proven.has(id) && (isConfused(id) || (!ticked && !isDone(store, id, false))))
    .map(({ id }) => id);
}

function countTexts(tasks: readonly ListedTask[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of tasks) counts.set(textOf(id), (counts.get(textOf(id)) ?? 0) + 1);
  return counts;
}

/** Whether a checklist has other tasks than the session knows of, or has them elsewhere. */
export const isListedAnew = ({ listed }: TaskStore, checklist: readonly ListedTask[]): boolean =>
  listed.length !== checklist.length || listed.some(({ id }, at) => id !== checklist[at]!.id);

const isDone = (store: TaskStore, id: string, box = true): boolean => taskStatus(store, id, box) === 'done';

/** Done or dropped, whatever its box says. */
export const isSettled = (store: TaskStore, id: string): boolean => isFinal(taskStatus(store, id, false));

/** No one goes on with it, also where the session was stopped or cut off since. */
export const isGivenUp = ({ givenUp, failedRun }: TaskStore, id: string): boolean =>
  (givenUp.get(id)?.inRun ?? 0) > failedRun;

export type TaskChange =
  | { kind: 'record'; record: Extract<TaskRecord, { kind: 'task.added' }> | TaskWord }
  /** It is so already: asked again after a crash, or twice by the agent. */
  | { kind: 'unchanged' }
  | { kind: 'refused'; reason: string };

export function addTask(store: TaskStore, content: string): TaskChange {
  const text = content.trim();
  if (text === '') return { kind: 'refused', reason: 'a task needs a text' };
  return { kind: 'record', record: { kind: 'task.added', id: `T${highest(store) + 1}`, content: text } };
}

/** `isKnown` says whether an id that is not in the store belongs to a checklist. */
export function changeTask(store: TaskStore, record: TaskWord, isKnown = (_id: string) => false): TaskChange {
  const before = taskStatus(store, record.id, false) ?? (isKnown(record.id) ? 'open' : undefined);
  if (before === undefined) return { kind: 'refused', reason: `there is no task ${JSON.stringify(record.id)}` };
  const after = statusAfter[record.kind];
  const isClaimed = record.kind === 'task.done' && record.unchecked === true && store.unchecked.has(record.id);
  if (before === after || isClaimed) return { kind: 'unchanged' };
  if (isFinal(before)) return { kind: 'refused', reason: `task ${record.id} is already ${before}` };
  return { kind: 'record', record };
}

export const isFinal = (status: Task['status'] | undefined): boolean => status === 'done' || status === 'dropped';

/** Not the number of tasks: an id is never given twice, whatever the journal has lost. */
function highest(store: TaskStore): number {
  let high = 0;
  for (const id of store.tasks.keys()) high = Math.max(high, Number(/^T(\d+)$/.exec(id)?.[1] ?? 0));
  return high;
}
