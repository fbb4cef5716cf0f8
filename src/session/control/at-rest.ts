import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionRecord, Task, TaskRecord } from '../../model/record.ts';
import { type ChecklistTask, readChecklist } from '../checklist.ts';
import { JournalError } from '../journal/disk.ts';
import { openJournal } from '../journal/journal.ts';
import { lockSession } from '../journal/lock.ts';
import { readJournal } from '../journal/read.ts';
import { isThere } from '../lost.ts';
import {
  addTask,
  changeTask,
  isTaskRecord,
  listTasks,
  type TaskStore,
  type TaskWord,
  taskStatus,
  tasksAfter,
} from '../tasks.ts';

export type Unusable =
  | { kind: 'damaged' | 'lost'; reason: string }
  /** Somebody has the session, and may not be ready to be asked. */
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
export function readTasksAtRest(sessionFolder: string): TasksAtRest {
  const reading = readJournal<SessionRecord>(journalOf(sessionFolder));
  if (reading.kind === 'unreadable') return { kind: 'failed', reason: `its journal cannot be read: ${reading.reason}` };
  if (reading.kind === 'damaged') return damaged(reading.damage);
  const { tasks, warning } = tasksOf(reading.entries);
  return { kind: 'tasks', tasks, ...(warning !== undefined && { warning }) };
}

/** Writes a change into the journal of a session that does not run. No hooks fire. */
export async function changeAtRest(sessionFolder: string, wish: TaskWish): Promise<ChangedAtRest> {
  const journal = journalOf(sessionFolder);
  if (!existsSync(journal)) return withoutRecords(sessionFolder);
  try {
    const lock = await lockSession(sessionFolder);
    if (lock.kind === 'busy') return { kind: 'busy', pid: lock.pid };
    try {
      return await changeLocked(journal, wish);
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { kind: 'failed', reason: error.message };
  }
}

const journalOf = (sessionFolder: string): string => join(sessionFolder, 'journal.jsonl');

const withoutRecords = (sessionFolder: string): Unusable =>
  isThere(join(sessionFolder, 'state.json'))
    ? { kind: 'lost', reason: 'it has run, but its journal is empty or gone' }
    : { kind: 'failed', reason: 'it has no journal: its start was cut short' };

const damaged = ({ line, reason }: { line: number; reason: string }): Unusable => ({
  kind: 'damaged',
  reason: `its journal is damaged at line ${line}: ${reason}`,
});

async function changeLocked(path: string, wish: TaskWish): Promise<ChangedAtRest> {
  const opened = openJournal<SessionRecord>(path);
  if (opened.kind === 'damaged') return damaged(opened.damage);
  if (opened.kind === 'unwritable')
    return { kind: 'failed', reason: `its journal cannot be written: ${opened.reason}` };
  try {
    // A journal begins with the session's start, and the loop counts on it.
    if (opened.entries.length === 0) return withoutRecords(dirname(path));
    const change = changeIn(tasksOf(opened.entries), wish);
    if (change.kind !== 'record') return change;
    await opened.journal.append(change.record);
    return { kind: 'recorded', record: change.record };
  } finally {
    await opened.journal.close();
  }
}

function changeIn({ store, checklist, tasks }: SessionTasks, wish: TaskWish) {
  if (wish.kind === 'task.added') return addTask(store, wish.content);
  const before = tasks.find(({ id }) => id === wish.id);
  if (!before) return { kind: 'unknown' as const, ids: tasks.map(({ id }) => id) };
  const isTicked = checklist.some(({ id, ticked }) => id === wish.id && ticked);
  if (isTicked && taskStatus(store, wish.id, isTicked) === 'done') {
    if (wish.kind === 'task.done') return { kind: 'unchanged' as const };
    return { kind: 'refused' as const, reason: `task ${wish.id} is done already: its box is ticked` };
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

function tasksOf(records: readonly SessionRecord[]): SessionTasks {
  const store = tasksAfter(records.filter(isTaskRecord));
  const started = records.find(record => record.kind === 'session.started');
  const file = started?.settings.tasksFile;
  const read = file === undefined ? undefined : readChecklist(file);
  const checklist = read?.kind === 'checklist' ? read.tasks : [];
  return {
    store,
    checklist,
    tasks: listTasks(store, checklist),
    ...(read?.kind === 'unreadable' && { warning: read.reason }),
  };
}
