import { tickedTasks } from './board.ts';
import { fire } from './fire.ts';
import type { Loop, Scene } from './loop.ts';

/** Fires task.completed for a task that is done, once in the life of the session. */
export async function announce(loop: Loop, scene: Scene, task: { id: string; content: string }): Promise<void> {
  const key = `task/${task.id}`;
  await loop.durable.once(key, async () => {
    await fire(loop, { ...scene, task: { id: task.id, content: task.content } }, 'task.completed', {
      key: `${key}/completed`,
    });
    return true;
  });
}

/** Announces what was marked as done just before a crash. */
export async function announceMarked(loop: Loop, scene: Scene): Promise<void> {
  const { tasks, marks } = loop.durable.tasks();
  const done = [...tasks.values()].filter(({ status }) => status === 'done');
  for (const task of done) await announce(loop, scene, task);
  for (const [id, status] of marks)
    if (status === 'done') await announce(loop, scene, { id, content: contentOf(loop, id) });
}

/** Announces the boxes that were ticked since the iteration began. */
export async function announceTicked(loop: Loop, scene: Scene, before: readonly string[]): Promise<void> {
  for (const { id, content } of tickedTasks(loop))
    if (!before.includes(id)) await announce(loop, scene, { id, content });
}

const contentOf = (loop: Loop, id: string): string => tickedTasks(loop).find(task => task.id === id)?.content ?? id;
