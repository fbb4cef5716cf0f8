import { questionPage } from '../../app/approvals.ts';
import type { Env } from '../../app/context.ts';
import { createOverview, readProjectSession } from '../../app/overview.ts';
import { isOtherPage } from '../../people/http/access.ts';
import { createRouter, type Router, replyWith } from '../../people/http/router.ts';
import { html } from '../../people/page/html.ts';
import { notice, pageHeaders } from '../../people/page/page-frame.ts';
import type { Work } from '../running-requests.ts';
import { cookieFor, hasCookie } from './grants.ts';
import { overviewPage } from './overview-page.ts';
import { command, type DashboardPage, renderPage, style } from './page.ts';
import { script, scriptPath } from './refresh-script.ts';
import { sessionPage } from './session-page.ts';

export interface DashboardOptions {
  env: Env;
  /** That of serve. */
  token: string;
  /**
   * A person who looks keeps serve from ending; whatever else sends requests does not, or a web page could keep it for
   * ever.
   */
  work: Pick<Work, 'take'>;
}

/** Pages for the person at this computer. Contract: only GET and HEAD come here, for a host of ours. Nothing is changed by them. */
export function createDashboard({ env, token, work }: DashboardOptions): Router {
  const overview = createOverview(env);
  const router = createRouter();
  router.use(async ({ env: { incoming } }, next) =>
    isOtherPage(incoming, () => false) ? replyPage(403, stranger) : next(),
  );
  router.get('/enter/:link', ({ req, env: { incoming } }) => {
    const cookie = cookieFor(incoming, req.param('link'), token);
    return cookie === undefined ? replyPage(403, expired) : redirect('/', { 'set-cookie': cookie });
  });
  router.use(async ({ env: { incoming } }, next) => {
    if (hasCookie(incoming, token)) return work.take(new AbortController(), next);
    // A link on another site was followed, for which browsers hold the cookie back; a step of our own page gets it.
    const isHeldBack = incoming.headers['sec-fetch-site'] === 'cross-site' && !incoming.url?.includes('?');
    return replyPage(403, isHeldBack ? bounce : expired);
  });
  router.get('/', async ({ req }) => replyPage(200, overviewPage(await overview()), req.query('still') !== undefined));
  router.get(scriptPath, () =>
    replyWith(200, { ...headers, 'content-type': 'text/javascript; charset=utf-8' }, script),
  );
  router.get('/session/:project{[0-9a-f]{16}}/:session{.+}', async ({ req, env: { incoming } }) => {
    const { project, session } = req.param();
    // A path that is one only once `..` is taken out of it names no session.
    const isAsSent = incoming.url?.split('?', 1)[0] === req.path;
    const facts = isAsSent && sessionName.test(session) ? await readProjectSession(env, project, session) : undefined;
    return facts ? replyPage(200, sessionPage(facts), req.query('still') !== undefined) : replyPage(404, nothingHere);
  });
  router.get('/approval/:id{[0-9a-z]{1,32}}', async ({ req, env: { incoming } }) => {
    const id = req.param('id');
    const url = await questionPage(env, id, incoming.socket.localPort ?? 0);
    return url === undefined ? replyPage(404, unanswerable(id)) : redirect(url);
  });
  router.notFound(() => replyPage(404, nothingHere));
  return router;
}

/** Names of sessions and children are made of these, and `.` stands in no name of its own. */
const sessionName = /^[\w.-]+(?:\/[\w.-]+){0,9}$/;

const headers = pageHeaders(style, "script-src 'self'", "connect-src 'self'");

/** `still`: it stays as it is until someone loads it again. */
const replyPage = (status: number, page: DashboardPage, still = false): Response =>
  replyWith(status, { ...headers, 'content-type': 'text/html; charset=utf-8' }, renderPage(page, { still }));

const redirect = (location: string, more: Readonly<Record<string, string>> = {}): Response =>
  replyWith(303, { ...headers, ...more, location });

const expired = notice(
  'Closed',
  'This page needs a new link',
  html`It shows what your sessions do, so it opens only with a link that this computer gives you. Links work for ten minutes, and what they open for a day. ${command('hookloop serve --link')} prints one.`,
);

/** With something behind the question mark it is not shown again. */
const bounce: DashboardPage = {
  ...notice('One moment', 'One moment', html`<a href="?again">Go on</a>`),
  goesTo: '?again',
};

const stranger = notice('Not accepted', 'This request was not accepted', html`It comes from another web page.`);

const nothingHere = notice(
  'Not found',
  'There is nothing here',
  html`The session is gone, or the address is not complete. <a href="/">All sessions</a>`,
);

const unanswerable = (id: string): DashboardPage =>
  notice(
    'Not found',
    'There is no page for this question',
    html`It was asked long ago, or its page is not being served now. ${command(`hookloop approve ${id}`)} answers it, ${command('hookloop approvals')} shows what is pending.`,
  );
