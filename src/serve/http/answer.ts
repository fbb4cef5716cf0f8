import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedAnswer, ServedCall } from '../ports.ts';
import { readBody } from './body.ts';
import { dispatchReply } from './dispatch-reply.ts';
import { environmentFor } from './environment.ts';
import { guardHost, guardRequest } from './guard.ts';
import { lostReply, nativeReply } from './native-reply.ts';
import { parseTarget } from './target.ts';

export interface HttpServing {
  /** For everything. */
  token: string;
  /** For hooks only: it stands in hook files of agents. */
  hookToken: string;
  env: ServedCall['env'];
  home: string;
  /** Undefined where it was cut short. */
  answer(call: ServedCall): Promise<ServedAnswer | undefined>;
  /** A page of the dashboard, for a person who has its cookie. */
  show(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** One request, from the guards to its reply. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  serving: HttpServing,
): Promise<void> {
  const target = parseTarget(request.url ?? '');
  if (target.kind === 'unknown' && isForBrowsers(request)) {
    const foreign = guardHost(request);
    return foreign ? refuse(response, foreign.status, foreign.message) : serving.show(request, response);
  }
  const isHook = target.kind !== 'unknown' && target.words[0] === 'hook';
  const refusal = guardRequest(request, isHook ? [serving.token, serving.hookToken] : [serving.token]);
  if (refusal) return refuse(response, refusal.status, refusal.message);
  if (target.kind === 'unknown') return refuse(response, 404, 'POST to /hook/AGENT/EVENT or /dispatch/EVENT');
  const { words } = target;
  const lost = (status: number, why: string): void => {
    // What is left of the body must not be taken for the next request.
    response.shouldKeepAlive = false;
    if (isHook) send(response, 200, lostReply(words, `hookloop: no hook was run: ${why}`));
    else refuse(response, status, why);
  };
  if (target.kind === 'no-folder') return lost(400, 'cwd is not a folder');
  const input = await readBody(request);
  if (input === undefined) return lost(413, 'the payload is larger than 64 MiB, or did not arrive');
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const cwd = target.cwd ?? serving.home;
  const env = environmentFor(words, target.cwd, serving.env);
  const asked = isHook ? words : requiringTrust(words);
  const answer = await serving.answer({ words: asked, input, cwd, env, gone });
  if (answer === undefined) return lost(503, 'serve was stopped before the hooks had answered');
  if (target.asProcess) return send(response, 200, `${JSON.stringify(answer)}\n`);
  if (isHook) return send(response, 200, nativeReply(words, answer));
  const { status, body } = dispatchReply(answer);
  send(response, status, body);
}

/** Whoever asks over HTTP has not typed it in the project: that is no consent to the project's hooks. */
const requiringTrust = ([command = '', ...rest]: readonly string[]): string[] => [command, '--require-trust', ...rest];

const isForBrowsers = ({ method, socket }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && socket.localPort !== undefined;

function refuse(response: ServerResponse, status: number, error: string): void {
  response.shouldKeepAlive = false;
  if (status === 405) response.setHeader('allow', 'POST');
  if (status === 401) response.setHeader('www-authenticate', 'Bearer');
  send(response, status, `${JSON.stringify({ error })}\n`);
}

function send(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(text);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  response.end(bytes);
}
