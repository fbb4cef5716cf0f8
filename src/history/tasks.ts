import type { HookEvent } from '../model/index.ts';
import type { Task } from '../model/record.ts';
import { foldTasks, isTaskRecord, noTasks, type TaskRecord } from '../session/tasks.ts';
import type { KnownEntry } from './known-record.ts';

export interface TaskFold {
  add(entry: KnownEntry): void;
  view(): Task[];
}

/** The session's own tasks, then those of a checklist, which the journal knows only from what was said about them. */
export function createTaskFold(): TaskFold {
  const records: TaskRecord[] = [];
  const listed = new Map<string, Task>();
  return {
    add(entry) {
      if (isTaskRecord(entry)) records.push(entry);
      else if (entry.kind === 'event') hear(listed, entry.event);
    },
    view() {
      const { tasks, marks } = foldTasks(records, noTasks);
      const ids = new Set([...listed.keys(), ...marks.keys()]);
      const others = [...ids]
        .filter(id => !tasks.has(id))
        .map(id => ({ ...(listed.get(id) ?? { id, content: '', status: 'open' as const }), ...markOf(marks, id) }));
      return [...tasks.values(), ...others];
    },
  };
}

function hear(listed: Map<string, Task>, { name, taskId, content }: HookEvent): void {
  if (taskId === undefined || !name.startsWith('task.')) return;
  const before = listed.get(taskId);
  const status = name === 'task.completed' ? 'done' : before?.status === 'done' ? 'done' : 'started';
  listed.set(taskId, { id: taskId, content: content ?? before?.content ?? '', status });
}

function markOf(marks: ReadonlyMap<string, Task['status']>, id: string): Partial<Task> {
  const status = marks.get(id);
  return status === undefined ? {} : { status };
}
