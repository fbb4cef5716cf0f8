import { userInfo } from 'node:os';
import type { AnswerMeaning } from '../model/index.ts';
import { didYouMean } from '../model/nearest.ts';
import { allQuestions, approvalsFolder, foldId, type Question } from '../session/questions/questions.ts';
import { userSecret } from '../session/questions/secret.ts';
import { type Answering, answerQuestion, settlementOf } from '../session/questions/settlement.ts';
import { publish } from './ask.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The questions of all the user's sessions that wait for a person, the oldest first. */
export function waitingQuestions(env: Env, nowMs: number = Date.now()): Question[] {
  const folder = approvalsFolder(env);
  if (folder === undefined) return [];
  return allQuestions(folder).filter(question => settlementOf(folder, question, nowMs) === undefined);
}

export type FoundQuestion =
  | { kind: 'found'; question: Question }
  | { kind: 'several'; ids: readonly string[] }
  | { kind: 'unknown'; hint: string | undefined };

/** The question a person means by an id or its beginning; those that wait come first. */
export function findByTyped(env: Env, typed: string): FoundQuestion {
  const folder = approvalsFolder(env);
  const all = folder === undefined ? [] : allQuestions(folder);
  const wanted = foldId(typed);
  const exact = all.find(({ id }) => id === wanted);
  if (exact) return { kind: 'found', question: exact };
  const waiting = new Set(waitingQuestions(env).map(({ id }) => id));
  const begun = wanted === '' ? [] : all.filter(({ id }) => id.startsWith(wanted));
  const open = begun.filter(({ id }) => waiting.has(id));
  const [first, ...more] = open.length > 0 ? open : begun;
  if (first && more.length === 0) return { kind: 'found', question: first };
  if (first) return { kind: 'several', ids: [first, ...more].map(({ id }) => id) };
  return { kind: 'unknown', hint: didYouMean(wanted, waiting) };
}

/** The address of the question's page, for the user alone: whoever has it can answer. */
export function linkTo(env: Env, question: Question): string | undefined {
  const folder = approvalsFolder(env);
  if (folder === undefined) return undefined;
  const { port, baseUrl } = question;
  return publish(question, { folder, secret: userSecret(folder), port, baseUrl }).url;
}

export interface PersonsAnswer {
  action: AnswerMeaning;
  message: string;
  /** Where the user answers, as in `with hookloop approve`. */
  where: string;
}

export type AnswerTaken = Exclude<Answering, { kind: 'no-answer' }>;

/** Needs no server. Contract: throws the system's error where it is not sure that the answer is kept. */
export function answerAsUser(env: Env, question: Question, { action, message, where }: PersonsAnswer): AnswerTaken {
  const folder = approvalsFolder(env);
  if (folder === undefined) throw new Error('HOME is not set');
  const response = { action, ...(message !== '' && { message }) };
  const at = new Date().toISOString();
  const given = { kind: 'answered', action, message, response, by: by(where), at } as const;
  const answering = answerQuestion(folder, question, given);
  if (answering.kind === 'no-answer') throw new Error(answering.problem);
  return answering;
}

function by(where: string): string {
  try {
    return `${userInfo().username} ${where}`;
  } catch {
    return where;
  }
}
