import { relative, resolve } from 'node:path';
import { realPath } from '../platform/folders.ts';
import { type SessionFiles, sessionsFolder } from './paths.ts';
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
  const sessions = await Promise.all(projects.map(project => sessionsOn(project, tasksFile)));
  const earlier = sessions.flat().filter(({ folder }) => folder !== self.folder);
  const doubters = earlier.filter(({ isDoubtful }) => isDoubtful);
  const witnesses = doubters.map(doubter => [doubter, ...earlier.filter(later => knewOf(later, doubter))]);
  const isProven = (id: string) => (by: Earlier) => taskStatus(by.tasks, id) === 'done';
  const own = projects[0]!.root;
  return {
    ticked: ticked.filter(id => witnesses.every(those => those.some(isProven(id)))),
    after: Object.fromEntries(doubters.map(doubter => [nameFrom(own, doubter), doubter.last])),
  };
}

interface Earlier {
  root: string;
  name: string;
  folder: string;
  /** The number of its last record. */
  last: number;
  /** It is not over, and something was done in it that may have ticked a box. */
  isDoubtful: boolean;
  tasks: TaskStore;
}

/** What a session of a root calls another. */
const nameFrom = (root: string, other: Earlier): string =>
  other.root === root ? other.name : relative(sessionsFolder(root), other.folder);

/** Whether a session knew of all that the other has done. */
const knewOf = (later: Earlier, other: Earlier): boolean =>
  (later.tasks.after[nameFrom(later.root, other)] ?? -1) >= other.last;

async function sessionsOn({ root, store }: ProjectSessions, tasksFile: string): Promise<Earlier[]> {
  const file = realPath(tasksFile);
  const found: Earlier[] = [];
  for (const { name, files } of await store.list()) {
    if (name.includes('/')) continue;
    const { state, end } = await store.state(name);
    const own = state.started?.settings.tasksFile;
    if (state.started && (typeof own !== 'string' || realPath(resolve(root, own)) !== file)) continue;
    const isTold = end.kind === 'read' || end.kind === 'empty';
    found.push({
      ...{ root, name, folder: files.folder, last: state.lastSeq },
      // Where what it did, and to which checklist, cannot be told every box may be its claim.
      isDoubtful: !isTold || (state.hasWorked && state.closed?.status !== 'completed'),
      tasks: isTold ? state.tasks : newTasks(),
    });
  }
  return found;
}
