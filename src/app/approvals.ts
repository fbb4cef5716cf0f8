import type { AnswerMeaning } from '../model/index.ts';
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
import { approvalsFolder, type Question } from '../session/questions/questions.ts';
import { answeredMeaning, isSameAnswer, type Settlement } from '../session/questions/settlement.ts';
import type { Env } from './context.ts';

/** A question that waits for a person. */
export type PendingQuestion = Pick<
  Question,
  'id' | 'session' | 'sessionFolder' | 'stage' | 'iteration' | 'title' | 'question' | 'since' | 'expires'
>;

/** Of all the user's sessions, the oldest first. */
export const pendingQuestions: (env: Env) => readonly PendingQuestion[] = waitingQuestions;

/** `typed` is an id or the beginning of one. */
export type UnknownQuestion = Exclude<FoundQuestion, { kind: 'found' }>;

/** The address of a question's page, for the user alone: whoever has it can answer. */
export function questionLink(env: Env, typed: string): { kind: 'link'; link: string | undefined } | UnknownQuestion {
  const found = findByTyped(env, typed);
  return found.kind === 'found' ? { kind: 'link', link: linkTo(env, found.question) } : found;
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

/** Answers a question that waits for a person. Contract: throws the system's error where it is not sure that the answer is kept. */
export function answerTyped(env: Env, typed: string, given: PersonsAnswer): Answered | UnknownQuestion {
  const found = findByTyped(env, typed);
  if (found.kind !== 'found') return found;
  const { question } = found;
  const { kind, settlement } = answerAsUser(env, question, given);
  const isNew = kind === 'recorded';
  return {
    ...{ kind: 'answered', question, settlement, isNew },
    isTaken: isNew || isSameAnswer(settlement, given),
    ...(settlement.kind === 'answered' && { meaning: answeredMeaning(settlement, question) }),
  };
}

export type QuestionAnswered = { kind: 'answered' | 'unknown' | 'settled-otherwise' };

/** The same for who knows the question. */
export function answerQuestion(env: Env, id: string, answer: PersonsAnswer): QuestionAnswered {
  const answered = answerTyped(env, id, answer);
  if (answered.kind !== 'answered') return { kind: 'unknown' };
  return { kind: answered.meaning === answer.action ? 'answered' : 'settled-otherwise' };
}

/** Where sessions publish their questions unless a hook says otherwise. */
const callbackPort = 8765;

/** Answers callbacks for as long as this process stays, also after the session that asked has ended. Contract: never rejects. */
export async function serveCallbacks(env: Env): Promise<() => Promise<void>> {
  const folder = approvalsFolder(env);
  try {
    const server = folder === undefined ? undefined : await joinServer(folder, callbackPort);
    return server?.kind === 'joined' ? server.release : async () => {};
  } catch {
    return async () => {};
  }
}

/** The address of a question's page on this machine, for whoever may see the dashboard. Nothing is written. */
export const questionPage = (env: Env, id: string, dashboardPort: number): Promise<string | undefined> =>
  localPage(env, id, { otherPort: callbackPort, dashboardPort });
