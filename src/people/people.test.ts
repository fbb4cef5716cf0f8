import { expect, onTestFinished, test } from 'vitest';
import { runOf, webhook } from '../actions/webhook/fixtures/runner.ts';
import type { WebhookAction } from '../model/index.ts';
import { allQuestions } from '../session/file-store/question-files.ts';
import type { Told } from './approvals.ts';
import { createUser, freePort } from './fixtures/user.ts';
import { createPeople, type People } from './people.ts';

/** People who are told of questions, and no one who waits for their answers. */
function deaf(user: ReturnType<typeof createUser>): { people: People; heard: Told[]; signal: AbortSignal } {
  const heard: Told[] = [];
  const end = new AbortController();
  const { env, questions, root, sessionFolder } = user;
  const people = createPeople({
    ...{ env, questions, root, sessionFolder, session: 'demo', seed: 'demo', secrets: () => ({}), warn: () => {} },
    mask: text => text.replaceAll('hunter2', '***'),
    onQuestion(question) {
      heard.push(question);
      end.abort();
    },
  });
  onTestFinished(() => people.close());
  return { people, heard, signal: end.signal };
}

const both = (title: string, question: string) => ({ title, question });

test.each<[Partial<WebhookAction>, Pick<Told, 'question' | 'title'>]>([
  [{ title: 'Deploy?' }, { question: 'Deploy?' }],
  [{ title: 'Deploy ${SESSION}?', question: ' ' }, { question: 'Deploy s1?' }],
  [{ title: 'Deploy?', question: 'Approve?' }, both('Deploy?', 'Approve?')],
  [{ title: 'Deploy?', body: { text: 'To staging.' } }, both('Deploy?', 'To staging.')],
  [{ title: ' ' }, both(' ', 'Approve?')],
  [{}, { question: 'Approve?' }],
])('a webhook with %j asks %j', async (words, asked) => {
  const user = createUser();
  const { people, heard, signal } = deaf(user);
  const action = webhook('http://127.0.0.1:1/', { approval: true, callbackPort: await freePort(), ...words });
  await people.actions.webhook(action, runOf(action, 'project', { signal, timeoutMs: null }));
  const { id: _, ...told } = heard[0]!;
  expect(told).toEqual(asked);
  expect(allQuestions(user.folder).map(({ question }) => question)).toEqual([asked.question]);
});

test('whoever is told of a question is told its files, with their formats and without secrets', async () => {
  const { people, heard, signal } = deaf(createUser());
  const files = ['docs/Plan.MD', 'c.diff', 'd.patch', 'e.json', 'hunter2.ts', 'Makefile'];
  await people.ask({ event: { name: 'approval.requested' }, question: 'Right?', files }, signal);
  expect(heard[0]!.files).toEqual([
    { path: 'docs/Plan.MD', format: 'markdown' },
    { path: 'c.diff', format: 'diff' },
    { path: 'd.patch', format: 'diff' },
    { path: 'e.json', format: 'json' },
    { path: '***.ts', format: 'text' },
    { path: 'Makefile', format: 'text' },
  ]);
});
