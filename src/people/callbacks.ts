import type { Server } from 'node:http';
import { acceptedWords, meaningOf } from '../model/index.ts';
import { isSameAnswer, type Question } from '../model/question.ts';
import { reasonOf } from '../platform/files.ts';
import { answerQuestion, hashToken, proofOf, settlementOf } from '../session/questions.ts';
import type { Questions } from '../session/store.ts';
import { parseAnswer } from './answer-body.ts';
import { challengePath } from './challenge.ts';
import { wayBack } from './dashboard-link.ts';
import {
  createRateLimit,
  isOneOf,
  isOtherPage,
  isOwnOrigin,
  onlyOwnHosts,
  type Published,
  readBody,
} from './http/access.ts';
import { createHttpServer, createRouter, type Exchange, replyWith } from './http/router.ts';
import { renderPage, type View } from './page/approval-page.ts';
import { pageHeaders, style } from './page/page-frame.ts';

interface Reply {
  status: number;
  view: View;
}

/** Serves every question there is, whichever process asks: its page for people, and its callback for programs. */
export function createCallbackServer(questions: Questions): Server {
  const router = createRouter();
  const slowDown = createRateLimit();
  const published = async (): Promise<Published> =>
    publishedAt((await questions.all()).flatMap(({ baseUrl }) => baseUrl ?? []));
  router.use(onlyOwnHosts(refuse, published));
  router.use(async (exchange, next) => {
    const { incoming } = exchange.env;
    const { origin = '' } = incoming.headers;
    const isOwn = isOwnOrigin(origin, incoming.socket.localPort) || (await published()).origins.has(origin);
    return isOtherPage(incoming, () => isOwn)
      ? refuse(exchange, 403, 'the request comes from another web page. Open the link itself to answer')
      : next();
  });
  router.get(`${challengePath}:challenge{[0-9a-f]{64}}`, async ({ req, env }) => {
    const proof = proofOf(await questions.secret(), env.incoming.socket.localPort ?? 0, req.param('challenge'));
    return replyWith(200, { ...headers, 'content-type': 'text/plain; charset=utf-8' }, proof);
  });
  router.all('*', async exchange => {
    const { incoming } = exchange.env;
    if (!['GET', 'HEAD', 'POST'].includes(exchange.req.method))
      return refuse(exchange, 405, 'open the link to see the question, or POST the answer');
    const link = parseLink(incoming.url ?? '');
    const question = link && (await findQuestion(questions, link.id, link.token));
    if (!link || !question) {
      if (link) await slowDown(incoming.socket.remoteAddress ?? '');
      return send(exchange, { status: 404, view: { kind: 'unknown' } });
    }
    const reply = await (exchange.req.method === 'POST'
      ? decide(exchange, questions, question, link)
      : show(questions, question, link));
    return send(exchange, reply, await wayBack(incoming, questions));
  });
  return createHttpServer(router, { requestTimeout: 15_000, keepAliveTimeout: 2000 });
}

/** Where `callback_base_url` puts questions. */
function publishedAt(baseUrls: readonly string[]): Published {
  const urls = baseUrls.flatMap(text => (URL.canParse(text) ? [new URL(text)] : []));
  const hosts = urls.flatMap(({ host, hostname, port, protocol }) =>
    port === '' ? [hostname, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host],
  );
  return { hosts: new Set(hosts), origins: new Set(urls.map(({ origin }) => origin)) };
}

/** `id` is absent where only the token says which question is meant. */
interface Link {
  id: string | undefined;
  token: string;
  actions: readonly string[];
  message: string | null;
}

/**
 * `/callback/ID/TOKEN`, `/callback/ID?token=`, `/callback?token=`, with anything before `/callback` that a proxy left
 * there. A URL that already had a query when `?action=` was added to it is understood as well.
 */
function parseLink(url: string): Link | undefined {
  const [path = '', rest = ''] = url.split(/\?(.*)/s);
  const query = new URLSearchParams(rest.replaceAll('?', '&'));
  const match = /^(?:\/[^?#]*)?\/callback(?:\/([^/]+)(?:\/([^/]+))?)?\/?$/.exec(path);
  if (!match) return undefined;
  const [, id, inPath] = match;
  const token = inPath ?? query.get('token') ?? '';
  return { id, token, actions: query.getAll('action'), message: query.get('message') };
}

/** The question that the token belongs to. Wrong tokens and unknown questions look the same. */
export async function findQuestion(
  questions: Questions,
  id: string | undefined,
  token: string,
): Promise<Question | undefined> {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
  const hash = hashToken(token);
  if (id === undefined) return (await questions.all()).find(({ tokenHashes }) => isOneOf(hash, tokenHashes));
  const question = await questions.find(id);
  return isOneOf(hash, question?.tokenHashes ?? [noHash]) ? question : undefined;
}

const noHash = '0'.repeat(64);

/** Looking never decides: chat programs and scanners of mails follow every link. */
function show(questions: Questions, question: Question, link: Link): Promise<Reply> {
  const [preselected] = link.actions;
  return stateOf(questions, question, link, { status: 200, ...(preselected !== undefined && { preselected }) });
}

/** The question as it waits, with what is wrong with an answer that was given, or how it has ended. */
async function stateOf(
  questions: Questions,
  question: Question,
  { actions, token }: Link,
  { status, ...more }: { status: number; preselected?: string; problem?: string },
): Promise<Reply> {
  const nowMs = Date.now();
  const context = await questions.context(question.id);
  const settlement = await settlementOf(questions, question, nowMs);
  if (settlement) {
    const news = more.problem === undefined ? {} : ({ news: 'other' } as const);
    return { status: 410, view: { kind: 'settled', question, context, settlement, ...news } };
  }
  // Where the URL names an action itself, the button that is pressed may be another one.
  const form = actions.length === 0 ? {} : { formTo: `?token=${encodeURIComponent(token)}` };
  return { status, view: { kind: 'waiting', question, context, nowMs, ...form, ...more } };
}

const maxBytes = 64 * 1024;
const drainedBytes = 1024 * 1024;

/** Takes the answer of a POST. Its reply is made only after the answer is on disk. */
async function decide({ env }: Exchange, questions: Questions, question: Question, link: Link): Promise<Reply> {
  const { headers: sent } = env.incoming;
  const refused = (status: number, problem: string) => stateOf(questions, question, link, { status, problem });
  if ((sent['content-encoding'] ?? 'identity') !== 'identity') return refused(415, 'Send it uncompressed.');
  const body = await readBody(env.incoming, maxBytes, drainedBytes);
  if (body.kind === 'lost') throw new Error('the client disconnected');
  if (body.kind === 'too-large') return refused(413, `The answer is larger than ${maxBytes / 1024} KiB.`);
  const parsed = parseAnswer(body.bytes, sent['content-type'] ?? '');
  if (parsed.kind === 'refused') return refused(parsed.status, parsed.message);
  const given = answerIn(parsed.fields, link, question);
  if (typeof given === 'string') return refused(422, given);
  const by = (sent.accept ?? '').includes('text/html') ? 'on the approval page' : 'a request to the callback URL';
  const settled = { kind: 'settled', question, context: await questions.context(question.id) } as const;
  try {
    const at = new Date().toISOString();
    const answering = await answerQuestion(questions, question, { kind: 'answered', ...given, by, at });
    if (answering.kind === 'no-answer') return refused(422, answering.problem);
    const { kind, settlement, wasSettled } = answering;
    if (kind === 'recorded') return { status: 200, view: { ...settled, settlement, news: 'recorded' } };
    if (isSameAnswer(settlement, given)) return { status: 200, view: { ...settled, settlement, news: 'same' } };
    return { status: wasSettled ? 410 : 409, view: { ...settled, settlement, news: 'other' } };
  } catch (error) {
    // A disk that fails at the very end may have kept the answer: then the page says so, and the status does not promise it.
    const settlement = await questions.settlement(question.id);
    if (settlement && isSameAnswer(settlement, given)) return { status: 503, view: { ...settled, settlement } };
    return refused(
      503,
      `Your answer could not be saved, so nothing was decided: ${reasonOf(error)}. Please try again.`,
    );
  }
}

/** In the body or in the URL; where both say it they must mean the same. A text is what is wrong with it. */
function answerIn(
  fields: Readonly<Record<string, unknown>>,
  link: Link,
  { actions: own }: Question,
): { action: string; message: string; response: unknown } | string {
  if (link.actions.length > 1) return 'The URL has several actions.';
  const linked = link.actions[0]?.trim() || undefined;
  const action = fields['action'] ?? linked;
  const message = fields['message'] ?? link.message ?? '';
  if (typeof action !== 'string' || !isWord(action.trim()))
    return 'Say what to do: an action of at most 64 characters, such as approve or reject.';
  if (linked !== undefined && meaningOf(linked, own) !== meaningOf(action, own))
    return 'The URL and the body name different actions, so nothing was decided.';
  if (typeof message !== 'string') return 'The message must be text.';
  const answer = { action: action.trim(), message: message.replaceAll('\r\n', '\n').trim() };
  // Later hooks see what was sent, and nothing made up.
  return { ...answer, response: { ...fields, ...(message === '' ? { action: answer.action } : answer) } };
}

const isWord = (text: string): boolean => text.length > 0 && text.length <= 64 && !/\p{Cc}|\p{Cs}/u.test(text);

const headers = pageHeaders(style);

/** As a page for people, as JSON for programs. */
function send({ req }: Exchange, { status, view }: Reply, home?: string): Response {
  const accept = req.header('accept') ?? '';
  const isPage = accept.includes('text/html') || (req.method !== 'POST' && !accept.includes('application/json'));
  const text = isPage ? renderPage(view, home) : `${JSON.stringify(toJson(view))}\n`;
  const type = isPage ? 'text/html' : 'application/json';
  const more = status === 405 ? { allow: 'GET, HEAD, POST' } : {};
  return replyWith(status, { ...headers, ...more, 'content-type': `${type}; charset=utf-8` }, text);
}

function refuse(exchange: Exchange, status: number, words: string): Response {
  const message = `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  return send(exchange, { status, view: { kind: 'refused', message } });
}

function toJson(view: View): unknown {
  switch (view.kind) {
    case 'refused':
      return { status: 'refused', error: view.message };
    case 'unknown':
      return { status: 'unknown' };
    case 'waiting': {
      const { id, session, stage, iteration, title, question, since, expires, actions } = view.question;
      const error = view.problem === undefined ? {} : { error: view.problem };
      const asked = { id, session, stage, iteration, title, question, since, expires };
      return { status: 'waiting', ...error, ...asked, actions: acceptedWords(actions) };
    }
    case 'settled': {
      const { id } = view.question;
      const { settlement, news } = view;
      if (settlement.kind !== 'answered') return { status: settlement.kind, id, at: settlement.at };
      const { action, message, at, by } = settlement;
      const status = news === 'recorded' ? 'recorded' : `already ${news === 'same' ? 'recorded' : 'answered'}`;
      return { status, id, action, message, at, by };
    }
  }
}
