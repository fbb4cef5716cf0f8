import type { IncomingMessage, ServerResponse } from 'node:http';
import { knownProjects, projectId } from '../../app/projects.ts';
import { sessionsOf } from '../../app/sessions.ts';
import { waitingQuestions } from '../../people/answers.ts';
import { localPage } from '../../people/dashboard-link.ts';
import { locateSession } from '../../session/paths.ts';
import { readSession } from '../../session/read-session.ts';
import { createBriefs, maxJournalBytes } from './briefs.ts';
import { bounce, expired, notFound, stranger, unanswerable } from './door.ts';
import { entrance, isInside, isOtherPage } from './guard.ts';
import { type Overview, readOverview } from './overview.ts';
import { overviewPage } from './overview-page.ts';
import type { Page } from './page.ts';
import { isOtherUser } from './peer.ts';
import { toProject } from './project.ts';
import { sendPage, sendRedirect, sendScript } from './reply.ts';
import { sessionPage } from './session-page.ts';
import { parseTarget, type Target } from './target.ts';

export interface DashboardOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** That of serve. */
  token: string;
  /** Where callbacks are answered while serve runs. */
  callbackPort: number;
  /** Goes around what is shown to a person who may see it; others do not count. */
  forPerson(show: () => Promise<void>): Promise<void>;
}

export type Dashboard = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Pages for the person at this computer. Contract: only GET and HEAD come here, for a host of ours. Nothing is changed by them. */
export function createDashboard(options: DashboardOptions): Dashboard {
  const { token, forPerson } = options;
  const show = createShownPages(options);
  return async (request, response) => {
    if (isOtherPage(request)) return sendPage(request, response, 403, stranger);
    const target = parseTarget(request.url ?? '');
    const cookie = target.kind === 'enter' ? entrance(request, target.pass, token) : undefined;
    if (cookie === undefined && (target.kind === 'enter' || !isInside(request, token))) {
      // A link on another site was followed, for which browsers hold the cookie back; a step of our own page gets it.
      const isHeldBack = request.headers['sec-fetch-site'] === 'cross-site' && !request.url?.includes('?');
      return sendPage(request, response, 403, isHeldBack && target.kind !== 'enter' ? bounce : expired);
    }
    // Looking is slow where there are many connections: only who has something to lose is looked at.
    if (isOtherUser(request.socket)) return sendPage(request, response, 403, stranger);
    if (cookie !== undefined) return sendRedirect(response, '/', { 'set-cookie': cookie });
    return forPerson(() => show(request, response, target));
  };
}

function createShownPages({
  env,
  callbackPort,
}: DashboardOptions): (request: IncomingMessage, response: ServerResponse, target: Target) => Promise<void> {
  const overview = createOverview(env);
  return async (request, response, target) => {
    switch (target.kind) {
      case 'script':
        return sendScript(request, response);
      case 'overview':
        return sendPage(request, response, 200, overviewPage(await overview()), target);
      case 'session': {
        const page = await pageOfSession(env, target.project, target.session);
        return sendPage(request, response, page ? 200 : 404, page ?? notFound, target);
      }
      case 'approval': {
        const url = await localPage(env, target.id, {
          otherPort: callbackPort,
          dashboardPort: request.socket.localPort ?? 0,
        });
        return url === undefined
          ? sendPage(request, response, 404, unanswerable(target.id))
          : sendRedirect(response, url);
      }
      default:
        return sendPage(request, response, 404, notFound);
    }
  };
}

const freshMs = 1000;

/** However many browsers look at it, it is put together once a second. */
function createOverview(env: DashboardOptions['env']): () => Promise<Overview> {
  const briefs = createBriefs();
  let last: { atMs: number; overview: Promise<Overview> } | undefined;
  return () => {
    const nowMs = performance.now();
    if (!last || nowMs - last.atMs > freshMs) last = { atMs: nowMs, overview: readOverview(env, briefs) };
    return last.overview;
  };
}

async function pageOfSession(env: DashboardOptions['env'], id: string, session: string): Promise<Page | undefined> {
  const waiting = waitingQuestions(env);
  const roots = [
    ...knownProjects(env),
    ...waiting.flatMap(({ sessionFolder = '' }) => locateSession(sessionFolder)?.root ?? []),
  ];
  const root = roots.find(each => projectId(each) === id);
  const store = root === undefined ? undefined : sessionsOf(root, env).store;
  if (root === undefined || !store || (await store.find(session)).kind !== 'found') return undefined;
  const nowMs = Date.now();
  return sessionPage({
    project: toProject(root, env['HOME']),
    view: await readSession(store, session, { nowMs, maxBytes: maxJournalBytes }),
    pid: (await store.holder(session))?.pid,
    open: new Set(waiting.map(question => question.id)),
    nowMs,
  });
}
