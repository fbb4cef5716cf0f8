import type { Task } from '../model/record.ts';
import { lostTasks } from '../session/checklist.ts';
import { isFinal, taskStatus } from '../session/tasks.ts';
import { checklistOf, tasksFileName } from './board.ts';
import type { Loop } from './loop.ts';

/**
 * Tasks that were open when the session began and are no longer in the file, neither done nor dropped nor worded anew. A
 * person may take them out while the session runs; an agent that does so has not done them. So they are told, and count
 * as nothing.
 */
export function goneTasks(loop: Loop): readonly Pick<Task, 'id' | 'content'>[] {
  const store = loop.durable.tasks();
  const isSettled = (id: string): boolean => isFinal(taskStatus(store, id)) && !store.unchecked.has(id);
  const open = store.found.filter(({ id, done }) => !done && !isSettled(id)).map(({ id }) => id);
  const before = store.found.map(({ id }) => id);
  const lost = new Set(lostTasks(checklistOf(loop), open, before));
  return store.found.flatMap(({ id, content }) => (lost.has(id) ? [{ id, content }] : []));
}

/** Each of them once. */
export function tellGone(loop: Loop): void {
  const { toldGone } = loop.here;
  const gone = goneTasks(loop).filter(({ id }) => !toldGone.has(id));
  if (gone.length === 0) return;
  for (const { id } of gone) toldGone.add(id);
  const [were, count] = gone.length === 1 ? ['task that was open is', 'does'] : ['tasks that were open are', 'do'];
  const names = gone.map(({ id, content }) => `${id} "${content.slice(0, 60)}"`).join(', ');
  const text = `${gone.length} ${were} gone from ${tasksFileName(loop)} and ${count} not count as done: ${names}`;
  loop.watcher.remark({ level: 'warning', text: loop.mask(text) });
}
