import { userInfo } from 'node:os';
import type { AnswerMeaning } from '../model/index.ts';
import { didYouMean } from '../model/nearest.ts';
import type { Question } from '../model/question.ts';
import { type Answering, answerQuestion, foldId, settlementOf } from '../session/questions.ts';
import type { Questions } from '../session/store.ts';
import { publish } from './ask.ts';

/** The questions of all the user's sessions that wait for a person, the oldest first. */
export async function waitingQuestions(questions: Questions, nowMs: number = Date.now()): Promise<Question[]> {
  const waiting: Question[] = [];
  for (const question of await questions.all())
    if (!(await settlementOf(questions, question, nowMs))) waiting.push(question);
  return waiting;
}

export type FoundQuestion =
  | { kind: 'found'; question: Question }
  | { kind: 'several'; ids: readonly string[] }
  | { kind: 'unknown'; hint: string | undefined };

/** The question a person means by an id or its beginning; those that wait come first. */
export async function findByTyped(questions: Questions, typed: string): Promise<FoundQuestion> {
  const all = await questions.all();
  const wanted = foldId(typed);
  const exact = all.find(({ id }) => id === wanted);
  if (exact) return { kind: 'found', question: exact };
  const waiting = new Set((await waitingQuestions(questions)).map(({ id }) => id));
  const begun = wanted === '' ? [] : all.filter(({ id }) => id.startsWith(wanted));
  const open = begun.filter(({ id }) => waiting.has(id));
  const [first, ...more] = open.length > 0 ? open : begun;
  if (first && more.length === 0) return { kind: 'found', question: first };
  if (first) return { kind: 'several', ids: [first, ...more].map(({ id }) => id) };
  return { kind: 'unknown', hint: didYouMean(wanted, waiting) };
}

/** The address of the question's page, for the user alone: whoever has it can answer. */
export const linkTo = async (questions: Questions, question: Question): Promise<string> =>
  (await publish(questions, question, { port: question.port, baseUrl: question.baseUrl })).url;

export interface PersonsAnswer {
  action: AnswerMeaning;
  message: string;
  /** Where the user answers, as in `with hookloop approve`. */
  where: string;
}

export type AnswerTaken = Exclude<Answering, { kind: 'no-answer' }>;

/** Needs no server. Contract: rejects where it is not sure that the answer is kept. */
export async function answerAsUser(
  questions: Questions,
  question: Question,
  { action, message, where }: PersonsAnswer,
): Promise<AnswerTaken> {
  const response = { action, ...(message !== '' && { message }) };
  const at = new Date().toISOString();
  const given = { kind: 'answered', action, message, response, by: by(where), at } as const;
  const answering = await answerQuestion(questions, question, given);
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
