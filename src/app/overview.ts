import { setImmediate as otherWork } from 'node:timers/promises';
import type { SessionBrief, SessionView } from '../model/view.ts';
import { locateSession, sessionWithoutName } from '../session/paths.ts';
import { readSession, toBrief } from '../session/read-session.ts';
import type { StoredSession } from '../session/store.ts';
import { type PendingQuestion, pendingQuestions } from './approvals.ts';
import type { Env } from './context.ts';
import { knownProjects, type Project, projectId, toProject } from './projects.ts';
import { type Sessions, sessionsOf } from './sessions.ts';

/** Everything that the first page tells. */
export interface Overview {
  waiting: readonly Waiting[];
  running: readonly Running[];
  recent: readonly Recent[];
  nowMs: number;
}

export interface Waiting {
  question: PendingQuestion;
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

/** However many look at it, it is put together once a second. */
export function createOverview(env: Env): () => Promise<Overview> {
  const readBrief = createBriefs();
  let last: { atMs: number; overview: Promise<Overview> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (!last || nowMs - last.atMs > freshMs) last = { atMs: nowMs, overview: readOverview(env, readBrief) };
    return last.overview;
  };
}

const freshMs = 1000;

/** Reads one session at a time: in between, hooks of agents are answered. */
async function readOverview(env: Env, readBrief: ReadBrief): Promise<Overview> {
  const waiting = await pendingQuestions(env);
  const located = waiting.map(({ sessionFolder = '' }) => locateSession(sessionFolder));
  const roots = new Set([...knownProjects(env), ...located.flatMap(each => each?.root ?? [])]);
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
      sessions.push(await readBrief(own, entry));
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

function inProject(
  projects: ReadonlyMap<string, Project>,
  located: ReturnType<typeof locateSession>,
): Pick<Waiting, 'at'> {
  const project = located && projects.get(located.root);
  return located && project ? { at: { project, session: located.name } } : {};
}

const maxKept = 1000;

/** Reading takes serve's whole attention, and agents wait for their hooks meanwhile. */
const maxJournalBytes = 32 * 1024 * 1024;

type ReadBrief = (sessions: Sessions, session: StoredSession) => Promise<SessionBrief>;

/** What ended sessions were like, read again only where something has changed. */
function createBriefs(): ReadBrief {
  const kept = new Map<string, { version: string; brief: SessionBrief }>();
  return async ({ store }, { name, files, version }) => {
    const known = kept.get(files.folder);
    if (known?.version === version) return known.brief;
    const brief = toBrief(await readSession(store, name, { maxBytes: maxJournalBytes }));
    kept.delete(files.folder);
    // What runs, or has just begun to, changes without its journal.
    if (brief.status !== 'running') kept.set(files.folder, { version, brief });
    for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
    return brief;
  };
}

/** One session of a project, as its page tells it. */
export interface SessionFacts {
  project: Project;
  view: SessionView;
  pid: number | undefined;
  /** The session whose child it is. */
  parent?: string;
  /** Questions that still take an answer. */
  open: ReadonlySet<string>;
  nowMs: number;
}

/** `id` is the project's in URLs. */
export async function readProjectSession(env: Env, id: string, session: string): Promise<SessionFacts | undefined> {
  const waiting = await pendingQuestions(env);
  const asking = waiting.flatMap(({ sessionFolder = '' }) => locateSession(sessionFolder)?.root ?? []);
  const root = [...knownProjects(env), ...asking].find(each => projectId(each) === id);
  const store = root === undefined ? undefined : sessionsOf(root, env).store;
  if (root === undefined || !store || (await store.find(session)).kind !== 'found') return undefined;
  const nowMs = Date.now();
  const parent = session.slice(0, Math.max(0, session.lastIndexOf('/')));
  return {
    ...(parent !== '' && parent !== sessionWithoutName && { parent }),
    project: toProject(root, env['HOME']),
    view: await readSession(store, session, { nowMs, maxBytes: maxJournalBytes }),
    pid: (await store.holder(session))?.pid,
    open: new Set(waiting.map(question => question.id)),
    nowMs,
  };
}
