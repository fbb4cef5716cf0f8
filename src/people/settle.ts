import { type AnswerWords, acceptedWords, meaningOf } from '../model/index.ts';
import {
  isExpired,
  type Recording,
  readSettlement,
  recordSettlement,
  type Settlement,
} from '../session/questions/answer.ts';
import type { Question } from '../session/questions/question.ts';
import type { ApprovalAnswer } from './port.ts';

/** `recorded` by this call, or `settled` before it; `no-answer` leaves the question open. */
export type Answering = (Recording & { wasSettled: boolean }) | { kind: 'no-answer'; problem: string };

/** The one way to an answer, whoever gives it. Contract: throws the system's error where it is not sure that the answer is kept. */
export function answerQuestion(folder: string, question: Question, answer: ApprovalAnswer): Answering {
  const before = settlementOf(folder, question, Date.parse(answer.at));
  if (before) return { kind: 'settled', settlement: before, wasSettled: true };
  if (meaningOf(answer.action, question.actions) === undefined)
    return { kind: 'no-answer', problem: notAWord(answer.action, question.actions) };
  return { ...recordSettlement(folder, question.id, answer), wasSettled: false };
}

/** Past its deadline a question takes no answer, whether or not anybody waits who could write that down. */
export function settlementOf(folder: string, question: Question, nowMs: number): Settlement | undefined {
  const settlement = readSettlement(folder, question.id);
  if (settlement || !isExpired(question, nowMs)) return settlement;
  return { kind: 'expired', at: question.expires! };
}

function notAWord(said: string, own: AnswerWords | undefined): string {
  const { approve, reject } = acceptedWords(own);
  return `“${said}” is no answer, so nothing is decided. To go on: ${approve.join(', ')}. To refuse: ${reject.join(', ')}.`;
}
