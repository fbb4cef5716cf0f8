import { allQuestions, type Question, readQuestion } from '../../session/questions/questions.ts';
import { hashToken, isOneOf } from '../../session/questions/secret.ts';

/** The question that the token belongs to. Wrong tokens and unknown questions look the same. */
export function findQuestion(folder: string, id: string | undefined, token: string): Question | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
  const hash = hashToken(token);
  if (id === undefined) return allQuestions(folder).find(({ tokenHashes }) => isOneOf(hash, tokenHashes));
  const question = readQuestion(folder, id);
  return isOneOf(hash, question?.tokenHashes ?? [nobodys]) ? question : undefined;
}

const nobodys = '0'.repeat(64);
