import { expect, onTestFinished, test } from 'vitest';
import { type Received, receiver } from '../../src/actions/webhook/fixtures/receiver.ts';
import { bundleForTests, diary, diaryAgent, eventually, type Project, type Started } from './project.ts';

const bundled = await bundleForTests();

interface Asking {
  project: Project;
  started: Started;
  /** The callback URL as its receiver got it. */
  callbackUrl: string;
  received: readonly Received[];
}

const port = 20_000 + (process.pid % 20_000);

/** A session in which an awaited webhook asks, and a hook after it tells what it sees. */
async function asking(more = '', after = ''): Promise<Asking> {
  const { url, received } = await receiver();
  const project = bundled.project({
    ...diary(),
    'hookloop.yaml': `hooks:
  on_iteration_complete:
    - { type: shell, await: true, command: 'echo "before [$CALLBACK_URL]" >> ~/seen' }
    - { type: webhook, await: true, callback_port: ${port}, url: '${url}', body: { text: Go on?, link: "\${CALLBACK_URL}" }${more} }
    - { type: shell, await: true, command: 'echo "after [$CALLBACK_URL] $LAST_HOOK_STATUS $HOOK_RESPONSE" >> ~/seen' }
${after}  session.ended:
    - { type: shell, await: true, command: 'echo "another point [$CALLBACK_URL]" >> ~/seen' }
`,
  });
  const started = project.start(['run', '--session', 's', '--agent', diaryAgent, '--prompt', 'go']);
  onTestFinished(() => void started.process.kill('SIGKILL'));
  await eventually(() => received.length > 0);
  return { project, started, received, callbackUrl: JSON.parse(received[0]!.body).link };
}

const post = (url: string, body?: string): Promise<Response> =>
  fetch(url, { method: 'POST', ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }) });

test('hooks behind a question at the same point have its URL and the answer as it was said, others do not', async () => {
  const { project, started, callbackUrl } = await asking();
  expect((await post(callbackUrl, '{"action":"Approved","message":"fine","ticket":7}')).status).toBe(200);
  expect(await started.ended).toMatchObject({ code: 0 });
  expect(project.lines('~/seen')).toEqual([
    'before []',
    `after [${callbackUrl}] success {"action":"Approved","message":"fine","ticket":7}`,
    'another point []',
  ]);
  const token = callbackUrl.split('/').at(-1)!;
  expect(JSON.stringify(project.journal('s'))).not.toContain(token);
  expect(started.stdout() + started.stderr()).not.toContain(token);
});

test('a webhook after a question is sent its URL, and a question of its own has its own', async () => {
  const { url, received } = await receiver();
  const { started, callbackUrl } = await asking(
    '',
    `    - { type: webhook, url: '${url}', body: { link: "\${CALLBACK_URL}" } }\n`,
  );
  await post(`${callbackUrl}?action=yes`);
  expect(await started.ended).toMatchObject({ code: 0 });
  expect(received.map(({ body }) => JSON.parse(body))).toEqual([{ link: callbackUrl }]);
});

test('a session waits on through words that are no answer, and ends with the first no', async () => {
  const { project, started, callbackUrl } = await asking();
  for (const word of ['rejct', 'nein', 'reject!', 'no way', 'disapprove', 'approve?', '✅', 'approve\u200b', 'аpprove'])
    expect([word, (await post(callbackUrl, JSON.stringify({ action: word }))).status]).toEqual([word, 422]);
  expect(project.lines('~/seen')).toEqual(['before []']);
  expect((await post(`${callbackUrl}?action=cancel`)).status).toBe(200);
  expect(await started.ended).toMatchObject({ code: 1 });
  expect(project.lines('~/seen')).toEqual(['before []', 'another point []']);
});
