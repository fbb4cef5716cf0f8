import type { IncomingMessage, ServerResponse } from 'node:http';
import { allQuestions, type Question, readContext } from '../../session/questions/questions.ts';
import { settlementOf } from '../../session/questions/settlement.ts';
import type { View } from '../page/view.ts';
import { wayBack } from '../page/way-back.ts';
import type { Brake } from './brake.ts';
import { replyToChallenge } from './challenge.ts';
import { decide } from './decide.ts';
import { findQuestion } from './find.ts';
import { guardRequest, publishedAt } from './guard.ts';
import { type Reply, send, sendReply } from './reply.ts';
import { formOf, parseTarget, type Target } from './target.ts';

export interface Serving {
  folder: string;
  brake: Brake;
}

/** One request, from the guards to its reply. */
export async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { folder, brake } = serving;
  const port = request.socket.localPort ?? 0;
  const refusal = guardRequest(request, port, () =>
    publishedAt(allQuestions(folder).flatMap(({ baseUrl }) => baseUrl ?? [])),
  );
  if (refusal) return refuse(request, response, refusal.status, refusal.message);
  const target = parseTarget(request.url ?? '');
  const proof = target.kind === 'other' ? replyToChallenge(target.path, folder, port) : undefined;
  if (proof !== undefined) return send(request, response, { status: 200, type: 'text/plain', text: proof });
  if (!['GET', 'HEAD', 'POST'].includes(request.method ?? ''))
    return refuse(request, response, 405, 'Open the link to see the question, or POST the answer.');
  const question = target.kind === 'callback' ? findQuestion(folder, target.id, target.token) : undefined;
  if (!question || target.kind === 'other') {
    if (target.kind === 'callback') await brake.slow(request.socket.remoteAddress ?? '');
    return sendReply(request, response, { status: 404, view: { kind: 'unknown' } });
  }
  const reply =
    request.method === 'POST' ? await decide(request, folder, question, target) : show(folder, question, target);
  sendReply(request, response, { ...reply, home: await wayBack(request, folder) });
}

/** Looking never decides: chat programs and scanners of mails follow every link. */
function show(folder: string, question: Question, target: Extract<Target, { kind: 'callback' }>): Reply {
  const nowMs = Date.now();
  const context = readContext(folder, question.id);
  const settlement = settlementOf(folder, question, nowMs);
  if (settlement) return { status: 410, view: { kind: 'settled', question, context, settlement } };
  const [preselected] = target.actions;
  const view: View = { kind: 'waiting', question, context, nowMs, ...formOf(target) };
  return { status: 200, view: { ...view, ...(preselected !== undefined && { preselected }) } };
}

const refuse = (request: IncomingMessage, response: ServerResponse, status: number, message: string): void =>
  sendReply(request, response, { status, view: { kind: 'refused', message } });
