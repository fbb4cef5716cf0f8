import type { Task } from '../model/record.ts';
import type { ChecklistTask } from './checklist.ts';
import type { TaskStore } from './tasks.ts';

/** Every task of a session as others see it: those of its checklist, then its own. */
export const listTasks = (store: TaskStore, checklist: readonly ChecklistTask[]): Task[] => [
  ...checklist.map(({ id, content, ticked }): Task => ({ id, content, status: statusOf(ticked, store.marks.get(id)) })),
  ...store.tasks.values(),
];

/** A box that the agent has ticked counts, whatever was said before. */
const statusOf = (ticked: boolean, mark: Task['status'] | undefined): Task['status'] =>
  ticked ? 'done' : (mark ?? 'open');
