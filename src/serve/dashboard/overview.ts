import { lstatSync } from 'node:fs';
import { setImmediate as otherWork } from 'node:timers/promises';
import { waitingQuestions } from '../../people/answers.ts';
import { listAll } from '../../session/history/list.ts';
import { holderOf, readSession, toBrief } from '../../session/history/sessions.ts';
import type { SessionEntry } from '../../session/list.ts';
import type { Question } from '../../session/questions/questions.ts';
import type { SessionBrief, SessionView } from '../../session/state/view.ts';
import { knownProjects, locateSession, type Project, toProject } from './projects.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Everything that the first page tells. */
export interface Overview {
  waiting: readonly Waiting[];
  running: readonly Running[];
  recent: readonly Recent[];
  nowMs: number;
}

export interface Waiting {
  question: Question;
  /** Absent where no page tells about its session. */
  at?: { project: Project; session: string };
}

export interface Running {
  project: Project;
  view: SessionView;
  pid: number;
}

export interface Recent {
  project: Project;
  sessions: readonly SessionBrief[];
  /** How many more there are. */
  more: number;
}

const shownSessions = 8;

/** Reads one session at a time: in between, hooks of agents are answered. */
export async function readOverview(env: Env, briefs: Briefs): Promise<Overview> {
  const waiting = waitingQuestions(env);
  const located = waiting.map(({ sessionFolder = '' }) => locateSession(sessionFolder));
  const roots = new Set([...knownProjects(env), ...located.flatMap(each => each?.root ?? [])]);
  const projects = new Map([...roots].map(root => [root, toProject(root, env['HOME'])]));
  const [running, recent]: [Running[], Recent[]] = [[], []];
  for (const project of projects.values()) {
    const ended: SessionEntry[] = [];
    for (const entry of sessionsOf(project.root)) {
      const holder = holderOf(entry.paths.folder);
      if (holder)
        running.push({
          project,
          pid: holder.pid,
          view: readSession(entry.paths, { name: entry.name, maxBytes: maxJournalBytes }).view,
        });
      else ended.push(entry);
      if (holder) await otherWork();
    }
    const sessions: SessionBrief[] = [];
    for (const entry of ended.slice(0, shownSessions)) {
      sessions.push(briefs.of(entry));
      await otherWork();
    }
    if (sessions.length > 0) recent.push({ project, sessions, more: ended.length - sessions.length });
  }
  return {
    waiting: waiting.map((question, index) => ({ question, ...inProject(projects, located[index]) })),
    running: running.sort((a, b) => (b.view.startedAt ?? '').localeCompare(a.view.startedAt ?? '')),
    recent,
    nowMs: Date.now(),
  };
}

function sessionsOf(root: string): SessionEntry[] {
  try {
    return listAll(root);
  } catch {
    return [];
  }
}

function inProject(
  projects: ReadonlyMap<string, Project>,
  located: ReturnType<typeof locateSession>,
): Pick<Waiting, 'at'> {
  const project = located && projects.get(located.root);
  return located && project ? { at: { project, session: located.session } } : {};
}

/** What ended sessions were like, read again only where something has changed. */
export interface Briefs {
  of(entry: SessionEntry): SessionBrief;
}

const maxKept = 1000;

/** Reading takes serve's whole attention, and agents wait for their hooks meanwhile. */
export const maxJournalBytes = 32 * 1024 * 1024;

export function createBriefs(): Briefs {
  const kept = new Map<string, { mark: string; brief: SessionBrief }>();
  return {
    of({ name, paths }) {
      const mark = markOf(paths.journal);
      const known = kept.get(paths.folder);
      if (known?.mark === mark) return known.brief;
      const brief = toBrief(readSession(paths, { name, maxBytes: maxJournalBytes }).view);
      kept.delete(paths.folder);
      // What runs, or has just begun to, changes without its journal.
      if (brief.status !== 'running') kept.set(paths.folder, { mark, brief });
      for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
      return brief;
    },
  };
}

function markOf(journal: string): string {
  const stats = lstatSync(journal, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
}
