import { relative, resolve } from 'node:path';
import { realPath } from '../platform/folders.ts';
import { type SessionFiles, sessionsFolder } from './paths.ts';
import type { SessionState } from './state/state.ts';
import type { ProjectSessions } from './store.ts';
import { newTasks, type TaskStore, taskStatus } from './tasks.ts';

/** Which boxes of a checklist count as done when a session begins. */
export interface Trusted {
  ticked: readonly string[];
  /** Sessions that have left boxes in doubt, each with the last record it has by now: by name, those of other roots by folder. */
  after: Readonly<Record<string, number>>;
}

/**
 * A box that was ticked before any session is a person's word and is trusted. One that was ticked since a session began
 * which failed, stopped or crashed may be that session's own claim: it is trusted only where its gates passed in it, or
 * in a later session that knew of it. `projects`: where sessions on this checklist may have been; it is known by its real
 * path. The first is that of the session `self`.
 */
export async function trustedBoxes(
  projects: readonly ProjectSessions[],
  tasksFile: string,
  ticked: readonly string[],
  self: SessionFiles,
): Promise<Trusted> {
  const own = projects[0]!.root;
  const sessions = await Promise.all(projects.map(project => sessionsOn(project, tasksFile)));
  const earlier = sessions.flat().filter(({ folder }) => folder !== self.folder);
  const doubters = earlier.filter(({ isOver, hasWorked }) => !isOver && hasWorked);
  const isProvenBy = ({ tasks }: Earlier, id: string): boolean => taskStatus(tasks, id) === 'done';
  const isCleared = (doubter: Earlier, id: string): boolean =>
    isProvenBy(doubter, id) ||
    earlier.some(later => (later.after.get(doubter.folder) ?? -1) >= doubter.last && isProvenBy(later, id));
  return {
    ticked: ticked.filter(id => doubters.every(doubter => isCleared(doubter, id))),
    after: Object.fromEntries(
      doubters.map(({ root, name, folder, last }) => [
        root === own ? name : relative(sessionsFolder(own), folder),
        last,
      ]),
    ),
  };
}

interface Which {
  root: string;
  name: string;
  folder: string;
  /** The number of its last record. */
  last: number;
}

interface Earlier extends Which {
  isOver: boolean;
  /** Something was done in it that may have ticked a box. */
  hasWorked: boolean;
  tasks: TaskStore;
  /** By folder. */
  after: ReadonlyMap<string, number>;
}

async function sessionsOn({ root, store }: ProjectSessions, tasksFile: string): Promise<Earlier[]> {
  const file = realPath(tasksFile);
  const found: Earlier[] = [];
  for (const { name, files } of await store.list()) {
    if (name.includes('/')) continue;
    const { state: session, end } = await store.state(name);
    const own = session.started?.settings.tasksFile;
    if (session.started && (typeof own !== 'string' || realPath(resolve(root, own)) !== file)) continue;
    const which = { root, name, folder: files.folder, last: session.lastSeq };
    // What it did, and to which checklist, cannot be told: every box may be its claim.
    const isTold = end.kind === 'read' || end.kind === 'empty';
    found.push(isTold ? { ...which, ...earlierFrom(root, session) } : { ...which, ...untold() });
  }
  return found;
}

const untold = (): Omit<Earlier, keyof Which> => ({
  isOver: false,
  hasWorked: true,
  tasks: newTasks(),
  after: new Map(),
});

const earlierFrom = (root: string, { closed, hasWorked, tasks }: SessionState): Omit<Earlier, keyof Which> => ({
  isOver: closed?.status === 'completed',
  hasWorked,
  tasks,
  after: new Map(Object.entries(tasks.after).map(([key, last]) => [resolve(sessionsFolder(root), key), last])),
});
