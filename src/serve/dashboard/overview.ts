import { setImmediate as otherWork } from 'node:timers/promises';
import { knownProjects } from '../../app/projects.ts';
import { sessionsOf } from '../../app/sessions.ts';
import { waitingQuestions } from '../../people/answers.ts';
import { locateSession } from '../../session/paths.ts';
import type { Question } from '../../session/questions/questions.ts';
import { readSession } from '../../session/read-session.ts';
import type { SessionBrief, SessionView } from '../../session/state/view.ts';
import type { StoredSession } from '../../session/store.ts';
import { type Briefs, maxJournalBytes } from './briefs.ts';
import { type Project, toProject } from './project.ts';

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
  place?: { project: Project; session: string };
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
  const places = waiting.map(({ sessionFolder = '' }) => locateSession(sessionFolder));
  const roots = new Set([...knownProjects(env), ...places.flatMap(place => place?.root ?? [])]);
  const projects = new Map([...roots].map(root => [root, toProject(root, env['HOME'])]));
  const [running, recent]: [Running[], Recent[]] = [[], []];
  for (const project of projects.values()) {
    const ended: StoredSession[] = [];
    const own = sessionsOf(project.root, env);
    const { store } = own;
    for (const session of await store.list()) {
      const holder = await store.holder(session.name);
      if (holder) {
        const view = await readSession(store, session.name, { maxBytes: maxJournalBytes });
        running.push({ project, pid: holder.pid, view });
        await otherWork();
      } else ended.push(session);
    }
    const sessions: SessionBrief[] = [];
    for (const entry of ended.slice(0, shownSessions)) {
      sessions.push(await briefs.of(own, entry));
      await otherWork();
    }
    if (sessions.length > 0) recent.push({ project, sessions, more: ended.length - sessions.length });
  }
  return {
    waiting: waiting.map((question, index) => ({ question, ...placeIn(projects, places[index]) })),
    running: running.sort((a, b) => (b.view.startedAt ?? '').localeCompare(a.view.startedAt ?? '')),
    recent,
    nowMs: Date.now(),
  };
}

function placeIn(
  projects: ReadonlyMap<string, Project>,
  place: ReturnType<typeof locateSession>,
): Pick<Waiting, 'place'> {
  const project = place && projects.get(place.root);
  return place && project ? { place: { project, session: place.name } } : {};
}
