import { answerAsUser, findByTyped, type PersonsAnswer } from '../people/answers.ts';
import { answeredMeaning } from '../session/questions/settlement.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type QuestionAnswered = { kind: 'answered' | 'unknown' | 'settled-otherwise' };

/** Answers a question that waits for a person. */
export function answerQuestion(env: Env, id: string, answer: PersonsAnswer): QuestionAnswered {
  const found = findByTyped(env, id);
  if (found.kind !== 'found') return { kind: 'unknown' };
  const { question } = found;
  const { settlement } = answerAsUser(env, question, answer);
  const isOurs = settlement.kind === 'answered' && answeredMeaning(settlement, question) === answer.action;
  return { kind: isOurs ? 'answered' : 'settled-otherwise' };
}
