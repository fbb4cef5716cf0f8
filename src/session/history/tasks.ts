import type { HookEvent } from '../../model/index.ts';
import type { Task } from '../../model/record.ts';
import { foldTasks, isTaskRecord, type ListedTask, listTasks, type TaskRecord } from '../tasks.ts';
import type { KnownEntry } from './known-record.ts';

export interface TaskFold {
  add(entry: KnownEntry): void;
  view(): Task[];
}

/** The tasks of a session as everyone counts them: those of its checklist, then its own. */
export function createTaskFold(): TaskFold {
  const records: TaskRecord[] = [];
  /** Older versions did not write the checklist down; the events tell of what was worked on. */
  const heard = new Map<string, ListedTask>();
  return {
    add(entry) {
      if (isTaskRecord(entry)) records.push(entry);
      else if (entry.kind === 'event') hear(heard, entry.event);
    },
    view() {
      const store = foldTasks(records);
      if (store.listed.length > 0) return listTasks(store);
      return listTasks(
        store,
        [...heard.values()].filter(({ id }) => !store.tasks.has(id)),
      );
    },
  };
}

function hear(heard: Map<string, ListedTask>, { name, taskId, content }: HookEvent): void {
  if (taskId === undefined || !name.startsWith('task.')) return;
  const before = heard.get(taskId);
  const ticked = name === 'task.completed' || before?.ticked === true;
  heard.set(taskId, { id: taskId, content: content ?? before?.content ?? '', ticked });
}
