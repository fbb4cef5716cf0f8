import type { IncomingMessage } from 'node:http';
import { meaningOf } from '../../model/index.ts';
import { reasonOf } from '../../platform/files.ts';
import { type Question, readContext } from '../../session/questions/questions.ts';
import {
  answerQuestion,
  isSameAnswer,
  readSettlement,
  type Settlement,
  settlementOf,
} from '../../session/questions/settlement.ts';
import { readBody } from './body.ts';
import type { Reply } from './reply.ts';
import { formOf, type Target } from './target.ts';

type Callback = Extract<Target, { kind: 'callback' }>;
type Given = { kind: 'given'; action: string; message: string; response: unknown } | { kind: 'bad'; problem: string };

/** Takes the answer of a POST. Its reply is made only after the answer is on disk. */
export async function decide(
  request: IncomingMessage,
  folder: string,
  question: Question,
  target: Callback,
): Promise<Reply> {
  const body = await readBody(request);
  const refuse = (status: number, problem: string): Reply => notTaken(folder, question, target, status, problem);
  if (body.kind === 'refused') return refuse(body.refusal.status, body.refusal.message);
  const given = answerIn(body.fields, target, question);
  if (given.kind === 'bad') return refuse(422, given.problem);
  const { action, message, response } = given;
  const by = (request.headers.accept ?? '').includes('text/html')
    ? 'on the approval page'
    : 'a request to the callback URL';
  const at = new Date().toISOString();
  try {
    const answer = { kind: 'answered', action, message, response, by, at } as const;
    const answering = answerQuestion(folder, question, answer);
    if (answering.kind === 'no-answer') return refuse(422, answering.problem);
    const { kind, settlement, wasSettled } = answering;
    const isSame = isSameAnswer(settlement, given);
    const news = kind === 'recorded' ? 'recorded' : isSame ? 'same' : 'other';
    const status = kind === 'recorded' || isSame ? 200 : wasSettled ? 410 : 409;
    return { status, view: { kind: 'settled', question, context: readContext(folder, question.id), settlement, news } };
  } catch (error) {
    const kept = whatIsKept(folder, question, given);
    const problem = `Your answer could not be kept, so nothing is decided: ${reasonOf(error)}. Please try again.`;
    return kept ?? refuse(503, problem);
  }
}

/** A disk that fails at the very end may have kept the answer: then the page says so, and the status does not promise it. */
function whatIsKept(folder: string, question: Question, given: { action: string; message: string }): Reply | undefined {
  const settlement = readSettlement(folder, question.id);
  if (!settlement || !isSameAnswer(settlement, given)) return undefined;
  return { status: 503, view: { kind: 'settled', question, context: readContext(folder, question.id), settlement } };
}

/** The page of a browser shows the question again, with what was wrong. */
function notTaken(folder: string, question: Question, target: Callback, status: number, problem: string): Reply {
  const nowMs = Date.now();
  const settlement: Settlement | undefined = settlementOf(folder, question, nowMs);
  const context = readContext(folder, question.id);
  if (settlement) return { status: 410, view: { kind: 'settled', question, context, settlement, news: 'other' } };
  return { status, view: { kind: 'waiting', question, context, problem, nowMs, ...formOf(target) } };
}

/** In the body or in the URL; where both say it they must mean the same. */
function answerIn(fields: Readonly<Record<string, unknown>>, target: Callback, { actions: own }: Question): Given {
  if (target.actions.length > 1) return { kind: 'bad', problem: 'The URL has several actions.' };
  const linked = target.actions[0]?.trim() || undefined;
  const action = fields['action'] ?? linked;
  const message = fields['message'] ?? target.message ?? '';
  if (typeof action !== 'string' || !isWord(action.trim()))
    return { kind: 'bad', problem: 'Say what to do: an action of at most 64 characters, such as approve or reject.' };
  if (linked !== undefined && meaningOf(linked, own) !== meaningOf(action, own))
    return { kind: 'bad', problem: 'The URL and the body name different actions, so nothing is decided.' };
  if (typeof message !== 'string') return { kind: 'bad', problem: 'The message must be text.' };
  const answer = { action: action.trim(), message: message.replaceAll('\r\n', '\n').trim() };
  // Later hooks see what was sent, and nothing made up.
  return {
    kind: 'given',
    ...answer,
    response: { ...fields, ...(message === '' ? { action: answer.action } : answer) },
  };
}

const isWord = (text: string): boolean => text.length > 0 && text.length <= 64 && !/\p{Cc}|\p{Cs}/u.test(text);
