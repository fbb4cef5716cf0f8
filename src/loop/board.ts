import { relative } from 'node:path';
import type { Task } from '../model/record.ts';
import type { StepKey } from '../model/step-key.ts';
import { type ChecklistTask, isLost, readChecklist } from '../session/checklist.ts';
import { firstOpen, isFinal, isSettled, listTasks, nextTask } from '../session/tasks.ts';
import type { Loop } from './loop.ts';
import { SessionEnd } from './session-end.ts';

/** A task as an iteration takes it. */
export interface OpenTask {
  id: string;
  /** Its line. */
  content: string;
  /** Its line and everything indented below it. */
  text: string;
  isOnList: boolean;
}

/** The task of an iteration, and the ids of the checklist when it was taken. */
export interface Taken {
  task: OpenTask;
  listed: readonly string[];
}

/** The first task that is open: of the checklist, then of the session's own. One that this run gave up is left to the next. */
export function nextOpenTask(loop: Loop, claimed: ReadonlySet<string>): OpenTask | undefined {
  const store = loop.durable.tasks();
  const mayTake = (id: string): boolean => store.givenUp.get(id)?.inRun !== loop.run.number && !claimed.has(id);
  const listed = firstOpen(store, checklistOf(loop), mayTake);
  if (listed) return fromList(listed);
  const own = nextTask(store, mayTake);
  return own && { id: own.id, content: own.content, text: own.content, isOnList: false };
}

/** The journal has a task without its secrets; after a crash the checklist still has all of it. */
export function wholeTask(loop: Loop, task: OpenTask): OpenTask {
  if (!task.isOnList || !task.text.includes('***')) return task;
  const listed = checklistOf(loop).find(({ id }) => id === task.id);
  return listed ? fromList(listed) : task;
}

export const listedIds = (loop: Loop): readonly string[] => checklistOf(loop).map(({ id }) => id);

/** A task that an iteration took and that is neither done nor given up must still be in the file. Contract: throws a SessionEnd. */
export function checkTaken(loop: Loop, taken: Taken | undefined, key: StepKey): void {
  if (!taken?.task.isOnList || isSettled(loop.durable.tasks(), taken.task.id)) return;
  if (!isLost(checklistOf(loop), taken.task.id, taken.listed)) return;
  const text = `task "${taken.task.content.slice(0, 60)}" is gone from ${tasksFileName(loop)}`;
  throw new SessionEnd('failed', text, { at: key });
}

/** The checklist as people know it. */
export function tasksFileName({ settings: { root, tasksFile = '' } }: Loop): string {
  const near = relative(root, tasksFile);
  return near.startsWith('..') ? tasksFile : near;
}

/** Every task that is neither done nor dropped. */
export const openTasks = (loop: Loop): readonly Task[] => allTasks(loop).filter(({ status }) => !isFinal(status));

export const allTasks = (loop: Loop): readonly Task[] => listTasks(loop.durable.tasks(), checklistOf(loop));

export const isListed = (loop: Loop, id: string): boolean => checklistOf(loop).some(task => task.id === id);

const fromList = ({ id, content, details }: ChecklistTask): OpenTask => ({
  id,
  content,
  text: [content, ...details].join('\n'),
  isOnList: true,
});

/** Read anew each time: the agent and people edit it. */
export function checklistOf({ settings }: Loop): readonly ChecklistTask[] {
  if (settings.tasksFile === undefined) return [];
  const checklist = readChecklist(settings.tasksFile);
  if (checklist.kind === 'checklist') return checklist.tasks;
  throw new SessionEnd('failed', `the tasks cannot be read: ${checklist.reason}`);
}
