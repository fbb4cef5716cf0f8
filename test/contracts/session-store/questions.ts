import { expect } from 'vitest';
import type { Question } from '../../../src/model/question.ts';
import { answerQuestion, settlementOf, systemClock, waitForAnswer } from '../../../src/session/questions.ts';
import type { Questions } from '../../../src/session/store.ts';
import type { Check } from './world.ts';

const at = '2030-01-02T03:04:05.000Z';
const yes = { kind: 'answered', action: 'approve', message: 'go', response: {}, at } as const;
const no = { kind: 'answered', action: 'reject', message: 'stop', response: {}, at } as const;

export function describeQuestions(check: Check): void {
  let made = 0;
  const ask = (questions: Questions, origin?: string, more: Partial<Question> = {}) =>
    questions.ask(origin, id => {
      made += 1;
      const since = new Date(Date.parse(at) + made).toISOString();
      const question: Question = {
        ...{ id, session: 's', sessionFolder: '/', question: 'May I?', since, expires: null, port: 1 },
        ...{ nonce: `${made}`, tokenHashes: [], ...(origin !== undefined && { origin }), ...more },
      };
      return { question, context: [{ kind: 'text', name: 'plan.md', text: 'the plan', leftOutBytes: 0 }] };
    });

  check('a question is asked once for its origin, and anew once it was withdrawn', async ({ store: { questions } }) => {
    const [first, again] = await Promise.all([ask(questions, 'origin'), ask(questions, 'origin')]);
    expect([first.isAskedAgain, again.isAskedAgain]).toEqual([false, true]);
    expect(again.question).toEqual(first.question);
    const { id } = first.question;
    expect(await questions.find(id)).toEqual(first.question);
    expect(await questions.context(id)).toMatchObject([{ text: 'the plan' }]);
    await questions.settle(id, { kind: 'withdrawn', at, reason: 'gone' });
    const anew = await ask(questions, 'origin');
    expect(anew.isAskedAgain).toBe(false);
    expect(anew.question.id).not.toBe(id);
    const other = await ask(questions);
    expect((await questions.all()).map(question => question.id)).toEqual([id, anew.question.id, other.question.id]);
  });

  check('what is not there is no question', async ({ store: { questions } }) => {
    expect(await questions.all()).toEqual([]);
    for (const id of ['zzzzzzzz', '', '../../etc', 'not an id']) {
      expect(await questions.find(id)).toBeUndefined();
      expect(await questions.change(id, question => question)).toBeUndefined();
    }
  });

  check('a question is changed as it is now', async ({ store: { questions } }) => {
    const { id } = (await ask(questions)).question;
    await Promise.all([
      questions.change(id, question => ({ ...question, port: question.port + 1 })),
      questions.change(id, question => ({ ...question, sentUrl: 'x' })),
    ]);
    expect(await questions.find(id)).toMatchObject({ port: 2, sentUrl: 'x' });
  });

  check('of many answers at the same time one counts, for everyone', async ({ store: { questions } }) => {
    const { question } = await ask(questions);
    const answers = Array.from({ length: 20 }, (_, index) => ({ ...(index % 2 ? yes : no), message: `${index}` }));
    const ends = await Promise.all(answers.map(answer => answerQuestion(questions, question, answer)));
    const [recorded, ...more] = ends.filter(({ kind }) => kind === 'recorded');
    expect(more).toEqual([]);
    const { settlement } = recorded as Extract<typeof recorded, { kind: 'recorded' | 'settled' }>;
    for (const end of ends) expect(end).toMatchObject({ settlement });
    expect(await questions.settlement(question.id)).toEqual(settlement);
    expect(await answerQuestion(questions, question, no)).toMatchObject({ kind: 'settled', wasSettled: true });
  });

  check(
    'a word that is not an answer decides nothing, nor does one that comes too late',
    async ({ store: { questions } }) => {
      const { question } = await ask(questions);
      expect(await answerQuestion(questions, question, { ...yes, action: 'perhaps' })).toMatchObject({
        kind: 'no-answer',
      });
      expect(await questions.settlement(question.id)).toBeUndefined();
      const late = (await ask(questions, undefined, { expires: at })).question;
      expect(await answerQuestion(questions, late, yes)).toMatchObject({ settlement: { kind: 'expired', at } });
      expect(await settlementOf(questions, late, Date.parse(at) - 1)).toBeUndefined();
    },
  );

  check('who waits gets the answer, the end of the time, or the end of the wait', async ({ store: { questions } }) => {
    const wait = async (remainingMs: number | null, signal = new AbortController().signal) => {
      const { question } = await ask(questions);
      return { id: question.id, end: waitForAnswer(questions, { question, remainingMs, clock: systemClock, signal }) };
    };
    const answered = await wait(null);
    await questions.settle(answered.id, yes);
    expect(await answered.end).toEqual(yes);
    const expired = await wait(30);
    expect(await expired.end).toEqual({ kind: 'expired' });
    expect(await questions.settlement(expired.id)).toMatchObject({ kind: 'expired' });
    const stop = new AbortController();
    const cancelled = await wait(null, stop.signal);
    stop.abort();
    expect(await cancelled.end).toEqual({ kind: 'cancelled' });
    expect(await questions.settlement(cancelled.id)).toBeUndefined();
  });

  check('links are made with one secret, which who only looks does not make', async ({ store: { questions } }) => {
    expect(await questions.knownSecret()).toBeUndefined();
    const [one, other] = await Promise.all([questions.secret(), questions.secret()]);
    expect(one.length).toBeGreaterThanOrEqual(32);
    expect([other, await questions.knownSecret()]).toEqual([one, one]);
  });
}
