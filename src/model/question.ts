import { type AnswerMeaning, type AnswerWords, type ApprovalAnswer, foldWord, meaningOf } from './action.ts';

/** One question to a person, as it is kept. Texts are masked. */
export interface Question {
  id: string;
  session: string;
  sessionFolder: string;
  stage?: string;
  iteration?: number;
  hook?: string;
  event?: string;
  title?: string;
  question: string;
  /** Words that the hook takes beside the known ones. */
  actions?: AnswerWords;
  since: string;
  /** By the clock on the wall; whoever waits sets it right when that clock jumps. */
  expires: string | null;
  port: number;
  baseUrl?: string;
  /** Of the session and the key it was asked with. */
  origin?: string;
  nonce: string;
  /** The first is that of the URL sent last; older ones stay valid. */
  tokenHashes: readonly string[];
  /** Hash of the URL that has reached its receiver. */
  sentUrl?: string;
}

/** `files` as they were when the question was asked: what is approved is what is shown. */
export type ContextFile =
  | { kind: 'text'; name: string; text: string; leftOutBytes: number }
  | { kind: 'not-shown'; name: string; why: string };

/** How a question ended: at most once, whoever ends it. */
export type Settlement =
  | ApprovalAnswer
  | { kind: 'expired'; at: string }
  | { kind: 'withdrawn'; at: string; reason: string };

/** A retry of the same request, or the same click again. */
export const isSameAnswer = (first: Settlement, again: { action: string; message: string }): boolean =>
  first.kind === 'answered' &&
  foldWord(first.action) === foldWord(again.action) &&
  (again.message === '' || again.message === first.message);

/** What an answer to this question means. One with a word that was no answer (records of 0.1.0 have such) is no yes. */
export const answeredMeaning = (
  { action }: { action: string },
  { actions }: Pick<Question, 'actions'>,
): AnswerMeaning => meaningOf(action, actions) ?? 'reject';
