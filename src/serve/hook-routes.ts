import { statSync } from 'node:fs';
import { projectVariable, projectVariables } from '../app/host-replies.ts';
import { onlyOwnHosts, onlyPrograms, readBody } from '../people/http/access.ts';
import { createRouter, type Exchange, type Router, replyWith } from '../people/http/router.ts';
import { dispatchReply, lostReply, nativeReply } from './hook-replies.ts';
import type { ServedAnswer, ServedCall } from './served-call.ts';

type Env = ServedCall['env'];

export interface HookRoutes {
  /** For everything. */
  token: string;
  /** For hooks only: it stands in hook files of agents. */
  hookToken: string;
  env: Env;
  /** Undefined where it was cut short. */
  answer(call: ServedCall): Promise<ServedAnswer | undefined>;
  /** Pages for a person who has its cookie. */
  dashboard(): Promise<Router>;
}

/** A word of a URL never becomes an option. */
const word = '{\\w[\\w.:-]{0,99}}';

/** `/hook/AGENT`, `/hook/AGENT/EVENT` and `/dispatch/EVENT`, with `?cwd=FOLDER` and `?as=process`; the rest is for browsers. */
export function createHookRouter(routes: HookRoutes): Router {
  const { token, hookToken, dashboard } = routes;
  const env = withoutOrigin(routes.env);
  const router = createRouter();
  router.use(onlyOwnHosts(refuse));
  router.all(`/hook/:agent${word}/:event${word}?`, onlyPrograms(refuse, [token, hookToken]), exchange => {
    const { agent = '', event } = exchange.req.param();
    return answerOverHttp(exchange, ['hook', agent, ...(event === undefined ? [] : [event])], { ...routes, env });
  });
  router.all(`/dispatch/:event${word}`, onlyPrograms(refuse, [token]), exchange =>
    answerOverHttp(exchange, ['dispatch', exchange.req.param('event')], { ...routes, env }),
  );
  router.get('*', async ({ req, env: bindings }, next) =>
    bindings.incoming.socket.localPort === undefined ? next() : (await dashboard()).fetch(req.raw, bindings),
  );
  router.all('*', onlyPrograms(refuse, [token]), exchange =>
    refuse(exchange, 404, 'POST to /hook/AGENT/EVENT or /dispatch/EVENT'),
  );
  return router;
}

const maxBodyBytes = 64 * 1024 * 1024;

async function answerOverHttp(exchange: Exchange, words: readonly string[], serving: HookRoutes): Promise<Response> {
  const { incoming, outgoing } = exchange.env;
  const isHook = words[0] === 'hook';
  const lost = (status: number, why: string): Response =>
    isHook
      ? replyWith(200, closing, lostReply(words, `hookloop: no hook was run: ${why}`))
      : refuse(exchange, status, why);
  const asked = new URLSearchParams((incoming.url ?? '').split(/\?(.*)/s)[1]);
  const cwd = asked.get('cwd') ?? undefined;
  if (cwd !== undefined && !isFolder(cwd)) return lost(400, 'cwd is not a folder');
  const body = await readBody(incoming, maxBodyBytes);
  if (body.kind !== 'whole') return lost(413, 'the payload is larger than 64 MiB, or did not arrive');
  const gone = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  const answer = await serving.answer({
    // Whoever asks over HTTP has not typed it in the project: that is no consent to the project's hooks.
    words: isHook ? words : ['dispatch', '--require-trust', ...words.slice(1)],
    input: body.bytes.toString('utf8'),
    cwd: cwd ?? serving.env['HOME'] ?? '/',
    env: environmentFor(words, cwd, serving.env),
    gone,
  });
  if (answer === undefined) return lost(503, 'serve was stopped before the hooks had answered');
  if (asked.get('as') === 'process') return replyWith(200, headers, `${JSON.stringify(answer)}\n`);
  if (isHook) return replyWith(200, headers, nativeReply(words, answer));
  const { status, text } = dispatchReply(answer);
  return replyWith(status, headers, text);
}

const isFolder = (path: string): boolean =>
  path.startsWith('/') && !path.includes('\0') && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Of the session that serve may have been started in; they say nothing about whoever asks now. */
const ofSessions = ['SESSION', 'PROGRESS', 'STATUS', 'CTX', 'STAGE', 'ITERATION', 'MAX_ITERATIONS', 'HOOKLOOP_SESSION'];
const ofFolders = ['HOOKLOOP_SESSION_DIR', 'PWD', 'OLDPWD', ...projectVariables()];

/** For calls that bring no environment along: ours, without what belongs to where we were started. */
const withoutOrigin = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ofSessions.includes(name) && !ofFolders.includes(name)));

/** The folder that an http hook names is its agent's project. */
function environmentFor([command, agent = '']: readonly string[], cwd: string | undefined, env: Env): Env {
  const variable = command === 'hook' ? projectVariable(agent) : undefined;
  return cwd !== undefined && variable !== undefined ? { ...env, [variable]: cwd } : env;
}

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** What is left of the body must not be taken for the next request. */
const closing = { ...headers, connection: 'close' };

const ofStatus: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  405: { allow: 'POST' },
};

const refuse = (_: Exchange, status: number, error: string): Response =>
  replyWith(status, { ...closing, ...ofStatus[status] }, `${JSON.stringify({ error })}\n`);
