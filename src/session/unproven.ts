import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SessionRecord } from '../model/record.ts';
import type { Entry } from './journal/line.ts';
import { readFirst, readJournal } from './journal/read.ts';
import { listSessions } from './list.ts';
import { whyLost } from './lost.ts';
import { type SessionPaths, sessionsFolder } from './paths.ts';
import { isTaskRecord, newTasks, type TaskStore, taskStatus, tasksAfter } from './tasks.ts';

/** Which boxes of a checklist count as done when a session begins. */
export interface Trusted {
  ticked: readonly string[];
  /** Sessions that have left boxes in doubt, each with the last record it has by now: by name, those of other roots by folder. */
  after: Readonly<Record<string, number>>;
}

/**
 * A box that was ticked before any session is a person's word and is trusted. One that was ticked since a session began
 * which failed, stopped or crashed may be that session's own claim: it is trusted only where its gates passed in it, or
 * in a later session that knew of it. `roots`: where sessions on this checklist may have been; it is known by its real
 * path. The first is that of the session `self`.
 */
export function trustedBoxes(
  roots: readonly [string, ...string[]],
  tasksFile: string,
  ticked: readonly string[],
  self: SessionPaths,
): Trusted {
  const [own] = roots;
  const earlier = roots.flatMap(root => sessionsOn(root, tasksFile)).filter(({ folder }) => folder !== self.folder);
  const doubters = earlier.filter(({ isOver, hasWorked }) => !isOver && hasWorked);
  const isProvenBy = ({ store }: Earlier, id: string): boolean => taskStatus(store, id) === 'done';
  const isCleared = (doubter: Earlier, id: string): boolean =>
    isProvenBy(doubter, id) ||
    earlier.some(({ after }, at) => (after.get(doubter.folder) ?? -1) >= doubter.last && isProvenBy(earlier[at]!, id));
  return {
    ticked: ticked.filter(id => doubters.every(doubter => isCleared(doubter, id))),
    after: Object.fromEntries(doubters.map(({ root, name, folder, last }) => [root === own ? name : folder, last])),
  };
}

interface Earlier {
  root: string;
  name: string;
  folder: string;
  /** The number of its last record. */
  last: number;
  isOver: boolean;
  /** Something was done in it that may have ticked a box. */
  hasWorked: boolean;
  store: TaskStore;
  /** By folder. */
  after: ReadonlyMap<string, number>;
}

function sessionsOn(root: string, tasksFile: string): Earlier[] {
  const file = realPath(tasksFile);
  return listSessions(root).flatMap(({ name, paths }) => {
    const first = readFirst<SessionRecord>(paths.journal);
    const own = first?.kind === 'session.started' ? first.settings?.tasksFile : undefined;
    if (first !== undefined && (typeof own !== 'string' || realPath(own) !== file)) return [];
    const reading = readJournal<SessionRecord>(paths.journal);
    const which = { root, name, folder: paths.folder };
    if (reading.kind === 'read' && whyLost(paths, first) === undefined)
      return [{ ...which, ...earlierFrom(root, reading.entries) }];
    // What it did, and to which checklist, cannot be told: every box may be its claim.
    const last = reading.kind === 'unreadable' ? 0 : (reading.entries.at(-1)?.seq ?? 0);
    return [{ ...which, last, isOver: false, hasWorked: true, store: newTasks(), after: new Map() }];
  });
}

function earlierFrom(
  root: string,
  entries: readonly Entry<SessionRecord>[],
): Omit<Earlier, 'root' | 'name' | 'folder'> {
  const ending = entries.findLast(({ kind }) => kind === 'session.closed' || kind === 'session.resumed');
  const found = entries.findLast(entry => entry.kind === 'tasks.found');
  return {
    last: entries.at(-1)?.seq ?? 0,
    isOver: ending?.kind === 'session.closed' && ending.status === 'completed',
    hasWorked: entries.some(({ kind }) => kind === 'step.started' || kind === 'hook.started'),
    store: tasksAfter(entries.flatMap(entry => (isTaskRecord(entry) ? [entry] : []))),
    after: new Map(Object.entries(found?.after ?? {}).map(([key, last]) => [resolve(sessionsFolder(root), key), last])),
  };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
