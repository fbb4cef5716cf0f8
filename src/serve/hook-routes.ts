import type { HostAnswer } from '../app/answer-host.ts';
import { type Called, projectVariable, projectVariables, refusalForAgent, whenLost } from '../app/host-replies.ts';
import { maxPayloadBytes } from '../model/json.ts';
import { onlyOwnHosts, onlyPrograms, readBody } from '../people/http/access.ts';
import { createRouter, type Exchange, type Router, replyWith } from '../people/http/router.ts';
import { isFolder } from '../platform/folders.ts';
import type { Answers, Caller } from './answer-calls.ts';

/** An answer is undefined where it was cut short: no one knows what the hooks would have said. */
export type CountedAnswers = {
  [Kind in keyof Answers]: (...asked: Parameters<Answers[Kind]>) => Promise<HostAnswer | undefined>;
};

export interface HookRoutes {
  /** For everything. */
  token: string;
  /** For hooks only: it stands in hook files of agents. */
  hookToken: string;
  env: Caller['env'];
  answers: CountedAnswers;
  /** Pages for a person who has its cookie. */
  dashboard(): Promise<Router>;
}

/** A word of a URL never becomes an option. */
const word = '{\\w[\\w.:-]{0,99}}';

/** `/hook/AGENT`, `/hook/AGENT/EVENT` and `/dispatch/EVENT`, with `?cwd=FOLDER` and `?as=process`; the rest is for browsers. */
export function createHookRouter({ token, hookToken, dashboard, answers, ...routes }: HookRoutes): Router {
  const env = withoutOrigin(routes.env);
  const router = createRouter();
  router.use(onlyOwnHosts(refuse));
  router.all(`/hook/:agent${word}/:event${word}?`, onlyPrograms(refuse, [token, hookToken]), async exchange => {
    const { agent = '', event } = exchange.req.param();
    const lost = (why: string): Response =>
      replyWith(200, closing, lostReply({ agent, event }, `hookloop: no hook was run: ${why}`));
    const asked = await readCall(exchange, env, projectVariable(agent));
    if (asked.kind === 'bad') return lost(asked.why);
    const answer = await answers.hook({ agent, event, input: asked.input }, asked.caller);
    if (answer === undefined) return lost(cutShort);
    return asked.asProcess ? processReply(answer) : replyWith(200, headers, nativeReply({ agent, event }, answer));
  });
  router.all(`/dispatch/:event${word}`, onlyPrograms(refuse, [token]), async exchange => {
    const asked = await readCall(exchange, env);
    if (asked.kind === 'bad') return refuse(exchange, asked.status, asked.why);
    const answer = await answers.dispatch(
      { event: exchange.req.param('event'), input: () => asked.input },
      asked.caller,
    );
    if (answer === undefined) return refuse(exchange, 503, cutShort);
    return asked.asProcess ? processReply(answer) : dispatchReply(answer);
  });
  router.get('*', async ({ req, env: bindings }, next) =>
    bindings.incoming.socket.localPort === undefined ? next() : (await dashboard()).fetch(req.raw, bindings),
  );
  router.all('*', onlyPrograms(refuse, [token]), exchange =>
    refuse(exchange, 404, 'POST to /hook/AGENT/EVENT or /dispatch/EVENT'),
  );
  return router;
}

const cutShort = 'serve was stopped before the hooks had answered';

type Asked =
  | { kind: 'call'; input: string; caller: Caller; asProcess: boolean }
  | { kind: 'bad'; status: number; why: string };

/** What was sent, and from where: the folder that a hook names is its agent's project, which `variable` tells the hooks. */
async function readCall({ env: { incoming, outgoing } }: Exchange, env: Caller['env'], variable = ''): Promise<Asked> {
  const asked = new URLSearchParams((incoming.url ?? '').split(/\?(.*)/s)[1]);
  const cwd = asked.get('cwd') ?? undefined;
  if (cwd !== undefined && !(cwd.startsWith('/') && !cwd.includes('\0') && isFolder(cwd)))
    return { kind: 'bad', status: 400, why: 'cwd is not a folder' };
  const body = await readBody(incoming, maxPayloadBytes);
  if (body.kind !== 'whole')
    return { kind: 'bad', status: 413, why: 'the payload is larger than 64 MiB, or did not arrive' };
  const gone = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  const caller = {
    cwd: cwd ?? env['HOME'] ?? '/',
    env: cwd !== undefined && variable !== '' ? { ...env, [variable]: cwd } : env,
    ...{ parent: 0, gone },
  };
  return { kind: 'call', input: body.bytes.toString('utf8'), caller, asProcess: asked.get('as') === 'process' };
}

/** Of the session that serve may have been started in; they say nothing about whoever asks now. */
const ofSessions = ['SESSION', 'PROGRESS', 'STATUS', 'CTX', 'STAGE', 'ITERATION', 'MAX_ITERATIONS', 'HOOKLOOP_SESSION'];
const ofFolders = ['HOOKLOOP_SESSION_DIR', 'PWD', 'OLDPWD', ...projectVariables()];

/** For calls that bring no environment along: ours, without what belongs to where we were started. */
const withoutOrigin = (env: Caller['env']): Caller['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ofSessions.includes(name) && !ofFolders.includes(name)));

/**
 * The body that an agent's http hook takes for the answer. Agents go on after anything but a 2xx reply, so what the
 * program would have said by its exit code has to be said in the body.
 */
function nativeReply(entry: Called, { stdout, stderr, exitCode }: HostAnswer): string {
  return exitCode === 0 || stdout.trim() !== '' ? stdout : refusalFor(entry, stderr.trim() || `exit code ${exitCode}`);
}

/** For a call that cannot be answered: no from a gate, nothing from the rest. */
const lostReply = (entry: Called, reason: string): string =>
  whenLost(entry).exitCode === 2 ? refusalFor(entry, reason) : '';

function refusalFor(entry: Called, reason: string): string {
  const text = refusalForAgent(entry, reason);
  return text.trim() === '' ? `${JSON.stringify({ decision: 'block', reason })}\n` : text;
}

/** A result is 200, also one that refuses. Whatever ran no hook is an error, so that no one takes it for a yes. */
function dispatchReply({ stdout, stderr, exitCode }: HostAnswer): Response {
  if (stdout !== '') return replyWith(200, headers, stdout);
  return replyWith(statuses[exitCode] ?? 500, headers, `${JSON.stringify({ error: stderr.trim(), exitCode })}\n`);
}

/** By the exit codes of `dispatch`: not trusted, wrong usage, bad payload, broken gate. */
const statuses: Readonly<Record<number, number>> = { 2: 403, 64: 400, 65: 400, 78: 422 };

const processReply = (answer: HostAnswer): Response => replyWith(200, headers, `${JSON.stringify(answer)}\n`);

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
