import type { AnswerMeaning } from '../model/index.ts';
import { answeredMeaning, isSameAnswer, type Question, type Settlement } from '../model/question.ts';
import {
  answerAsUser,
  type FoundQuestion,
  findByTyped,
  linkTo,
  type PersonsAnswer,
  waitingQuestions,
} from '../people/answers.ts';
import { joinServer } from '../people/callback-server.ts';
import { localPage } from '../people/dashboard-link.ts';
import { questionsOf } from '../session/file-store/question-files.ts';
import type { Env } from './context.ts';

/** A question that waits for a person. */
export type PendingQuestion = Pick<
  Question,
  'id' | 'session' | 'sessionFolder' | 'stage' | 'iteration' | 'title' | 'question' | 'since' | 'expires'
>;

/** Of all the user's sessions, the oldest first. */
export const pendingQuestions = (env: Env): Promise<readonly PendingQuestion[]> => waitingQuestions(questionsOf(env));

/** `typed` is an id or the beginning of one. */
export type UnknownQuestion = Exclude<FoundQuestion, { kind: 'found' }>;

/** The address of a question's page, for the user alone: whoever has it can answer. */
export async function questionLink(env: Env, typed: string): Promise<{ kind: 'link'; link: string } | UnknownQuestion> {
  const questions = questionsOf(env);
  const found = await findByTyped(questions, typed);
  return found.kind === 'found' ? { kind: 'link', link: await linkTo(questions, found.question) } : found;
}

export interface Answered {
  kind: 'answered';
  question: PendingQuestion;
  /** How the question ended: by this answer, or before. */
  settlement: Settlement;
  /** What an answer means, whatever its word. */
  meaning?: AnswerMeaning;
  /** This call ended it. */
  isNew: boolean;
  /** The answer counts: it was given now, or the same one before. */
  isTaken: boolean;
}

/** Answers a question that waits for a person. Contract: rejects where it is not sure that the answer is kept. */
export async function answerTyped(env: Env, typed: string, given: PersonsAnswer): Promise<Answered | UnknownQuestion> {
  const questions = questionsOf(env);
  const found = await findByTyped(questions, typed);
  if (found.kind !== 'found') return found;
  const { question } = found;
  const { kind, settlement } = await answerAsUser(questions, question, given);
  const isNew = kind === 'recorded';
  return {
    ...{ kind: 'answered', question, settlement, isNew },
    isTaken: isNew || isSameAnswer(settlement, given),
    ...(settlement.kind === 'answered' && { meaning: answeredMeaning(settlement, question) }),
  };
}

export type QuestionAnswered = { kind: 'answered' | 'unknown' | 'settled-otherwise' };

/** The same for a caller that has the question already. */
export async function answerQuestion(env: Env, id: string, answer: PersonsAnswer): Promise<QuestionAnswered> {
  const answered = await answerTyped(env, id, answer);
  if (answered.kind !== 'answered') return { kind: 'unknown' };
  return { kind: answered.meaning === answer.action ? 'answered' : 'settled-otherwise' };
}

/** Where sessions publish their questions unless a hook says otherwise. */
const callbackPort = 8765;

/** Answers callbacks for as long as this process stays, also after the session that asked has ended. Contract: never rejects. */
export async function serveCallbacks(env: Env): Promise<() => Promise<void>> {
  try {
    const server = await joinServer(questionsOf(env), callbackPort);
    return server.kind === 'joined' ? server.release : async () => {};
  } catch {
    return async () => {};
  }
}

/** The address of a question's page on this machine, for whoever may see the dashboard. Nothing is written. */
export const questionPage = (env: Env, id: string, dashboardPort: number): Promise<string | undefined> =>
  localPage(questionsOf(env), id, { otherPort: callbackPort, dashboardPort });
