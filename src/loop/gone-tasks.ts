import type { Task } from '../model/record.ts';
import { lostTasks } from '../session/checklist.ts';
import { isFinal, taskStatus } from '../session/tasks.ts';
import { checklistOf, tasksFileName } from './board.ts';
import type { Loop } from './loop.ts';

type Named = Pick<Task, 'id' | 'content'>;

/**
 * Tasks that were open when the session began and are no longer in the file, neither done nor dropped nor reworded. A
 * person may take them out while the session runs; an agent that does so has not done them. So they are told, and count
 * as nothing.
 */
export const goneTasks = (loop: Loop): readonly Named[] => missing(loop).gone;

/** Each of them once; so are those that are reworded, since the gates hear the new text only. */
export function tellGone(loop: Loop): void {
  const { gone, reworded } = missing(loop);
  const file = tasksFileName(loop);
  tell(loop, 'gone', gone, isOne =>
    isOne
      ? `task that was open is gone from ${file} and does not count as done`
      : `tasks that were open are gone from ${file} and do not count as done`,
  );
  tell(loop, 'reworded', reworded, isOne =>
    isOne
      ? `open task was reworded in ${file}; the new text counts instead`
      : `open tasks were reworded in ${file}; the new texts count instead`,
  );
}

function missing(loop: Loop): { gone: readonly Named[]; reworded: readonly Named[] } {
  const store = loop.durable.tasks();
  const checklist = checklistOf(loop);
  const isSettled = (id: string): boolean => isFinal(taskStatus(store, id)) && !store.unchecked.has(id);
  const open = store.found.filter(({ id, done }) => !done && !isSettled(id));
  const before = store.found.map(({ id }) => id);
  const ids = open.map(({ id }) => id);
  const lost = new Set(lostTasks(checklist, ids, before));
  const listed = new Set(checklist.map(({ id }) => id));
  const named = open.map(({ id, content }) => ({ id, content }));
  return {
    gone: named.filter(({ id }) => lost.has(id)),
    reworded: named.filter(({ id }) => !lost.has(id) && !listed.has(id)),
  };
}

function tell(loop: Loop, how: string, tasks: readonly Named[], what: (isOne: boolean) => string): void {
  const { toldGone } = loop.here;
  const news = tasks.filter(({ id }) => !toldGone.has(`${how} ${id}`));
  if (news.length === 0) return;
  for (const { id } of news) toldGone.add(`${how} ${id}`);
  const names = news.map(({ id, content }) => `${id} "${content.slice(0, 60)}"`).join(', ');
  loop.watcher.remark({ level: 'warning', text: loop.mask(`${news.length} ${what(news.length === 1)}: ${names}`) });
}
