import { relative } from 'node:path';
import type { Task } from '../model/record.ts';
import type { StepKey } from '../model/step-key.ts';
import { oneLine } from '../model/words.ts';
import { type ChecklistTask, lostTasks, readChecklist } from '../session/checklist.ts';
import { isFinal, isGivenUp, isSettled, listTasks, openTasks as openIn, taskStatus } from '../session/tasks.ts';
import { type Session, warn } from './session.ts';
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

/** The first task that is open: of the checklist, then of the session's own. One that was given up waits until the session has failed and is resumed. */
export function nextOpenTask(session: Session, claimed: ReadonlySet<string>): OpenTask | undefined {
  const store = session.durable.tasks();
  const checklist = checklistOf(session);
  const next = openIn(store, checklist).find(({ id }) => !isGivenUp(store, id) && !claimed.has(id));
  const listed = next && checklist.find(({ id }) => id === next.id);
  if (listed) return fromList(listed);
  return next && { id: next.id, content: next.content, text: next.content, isOnList: false };
}

/** The journal has a task without its secrets; after a crash the checklist still has all of it. */
export function wholeTask(session: Session, task: OpenTask): OpenTask {
  if (!task.isOnList || !task.text.includes('***')) return task;
  const listed = checklistOf(session).find(({ id }) => id === task.id);
  return listed ? fromList(listed) : task;
}

export const listedIds = (session: Session): readonly string[] => checklistOf(session).map(({ id }) => id);

/** A task that an iteration took and that is neither done nor given up must still be in the file. Contract: throws a SessionEnd. */
export function checkTaken(session: Session, taken: Taken | undefined, key: StepKey): void {
  if (!taken?.task.isOnList || isSettled(session.durable.tasks(), taken.task.id)) return;
  if (lostTasks(checklistOf(session), [taken.task.id], taken.listed).length === 0) return;
  const text = `task "${taken.task.content.slice(0, 60)}" is gone from ${tasksFileName(session)}`;
  throw new SessionEnd('failed', text, { at: key });
}

/** The checklist as people know it. */
export function tasksFileName({ settings: { root, tasksFile = '' } }: Session): string {
  const near = relative(root, tasksFile);
  return near.startsWith('..') ? tasksFile : near;
}

/** Every task that is neither done nor dropped. */
export const openTasks = (session: Session): readonly Task[] => openIn(session.durable.tasks(), checklistOf(session));

export const allTasks = (session: Session): readonly Task[] => listTasks(session.durable.tasks(), checklistOf(session));

/** A task as people know it; of one that is gone only the id is known. */
export const taskNamed = (session: Session, id: string): Named => ({
  id,
  content: allTasks(session).find(task => task.id === id)?.content ?? id,
});

/** Ids of checklists are only marks of their text. */
export const shownId = (id: string): string => (/^T\d+$/.test(id) ? `${id} ` : '');

export const taskWords = ({ id, content }: Named): string => `task ${shownId(id)}"${oneLine(content, 80)}"`;

export const isListed = (session: Session, id: string): boolean => checklistOf(session).some(task => task.id === id);

const fromList = ({ id, content, details }: ChecklistTask): OpenTask => ({
  id,
  content,
  text: [content, ...details].join('\n'),
  isOnList: true,
});

/** Read anew each time: the agent and people edit it. */
export function checklistOf({ settings }: Session): readonly ChecklistTask[] {
  if (settings.tasksFile === undefined) return [];
  const checklist = readChecklist(settings.tasksFile);
  if (checklist.kind === 'checklist') return checklist.tasks;
  throw new SessionEnd('failed', `the tasks cannot be read: ${checklist.reason}`);
}

export type Named = Pick<Task, 'id' | 'content'>;

/**
 * Tasks that were open when the session began and are no longer in the file, neither done nor dropped nor reworded. A
 * person may take them out while the session runs; an agent that does so has not done them. So they are told, and count
 * as nothing.
 */
export const goneTasks = (session: Session): readonly Named[] => missing(session).gone;

/** Each of them once; so are those that are reworded, since the gates hear the new text only. */
export function tellGone(session: Session): void {
  const { gone, reworded } = missing(session);
  const file = tasksFileName(session);
  tell(session, 'gone', gone, isOne =>
    isOne
      ? `task that was open is gone from ${file} and does not count as done`
      : `tasks that were open are gone from ${file} and do not count as done`,
  );
  tell(session, 'reworded', reworded, isOne =>
    isOne
      ? `open task was reworded in ${file}; the new text counts instead`
      : `open tasks were reworded in ${file}; the new texts count instead`,
  );
}

function missing(session: Session): { gone: readonly Named[]; reworded: readonly Named[] } {
  const store = session.durable.tasks();
  const checklist = checklistOf(session);
  const isOpen = ({ id, done }: (typeof store.found)[number]): boolean =>
    !done && (!isFinal(taskStatus(store, id)) || store.unchecked.has(id));
  const open = store.found.filter(isOpen).map(({ id, content }) => ({ id, content }));
  const lost = new Set(
    lostTasks(
      checklist,
      open.map(({ id }) => id),
      store.found.map(({ id }) => id),
    ),
  );
  const listed = new Set(checklist.map(({ id }) => id));
  return {
    gone: open.filter(({ id }) => lost.has(id)),
    reworded: open.filter(({ id }) => !lost.has(id) && !listed.has(id)),
  };
}

function tell(session: Session, how: string, tasks: readonly Named[], what: (isOne: boolean) => string): void {
  const { toldGone } = session.now;
  const news = tasks.filter(({ id }) => !toldGone.has(`${how} ${id}`));
  if (news.length === 0) return;
  for (const { id } of news) toldGone.add(`${how} ${id}`);
  const names = news.map(({ id, content }) => `${id} "${content.slice(0, 60)}"`).join(', ');
  warn(session, `${news.length} ${what(news.length === 1)}: ${names}`);
}
