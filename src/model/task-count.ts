import type { Task } from './record.ts';

/** How many tasks there are, and what became of them. */
export interface TaskCount {
  tasksTotal: number;
  tasksDone: number;
  /** Their gates refused them for good, or no one could do them. */
  tasksFailed: number;
}

/** The one way in which tasks are counted, wherever a number of them is told. */
export function countTasks(tasks: readonly Pick<Task, 'status'>[]): TaskCount {
  const countOf = (wanted: Task['status']): number => tasks.filter(({ status }) => status === wanted).length;
  return { tasksTotal: tasks.length, tasksDone: countOf('done'), tasksFailed: countOf('failed') };
}

/** `2 of 6 tasks, 1 failed`; without the word where a heading says it. */
export function taskCountWords({ tasksTotal, tasksDone, tasksFailed }: TaskCount, word = true): string {
  const failed = tasksFailed > 0 ? `, ${tasksFailed} failed` : '';
  const tasks = tasksTotal === 1 ? ' task' : ' tasks';
  return `${tasksDone} of ${tasksTotal}${word ? tasks : ''}${failed}`;
}
