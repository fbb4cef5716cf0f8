import { expect, test } from 'vitest';
import { receiver } from '../../src/actions/webhook/fixtures/receiver.ts';
import { freePort } from '../../src/people/fixtures/user.ts';
import { bundleForTests, diary, diaryAgent, eventually } from './project.ts';

const bundled = await bundleForTests();

const asks = async (url: string, spelled: 'ours' | 'seed', until = "response.status == 'approved'") => {
  const poll = { url: `${url}/state`, every: '1s', until, unless: "response.status == 'rejected'" };
  const question = { callback_port: await freePort(), timeout: '1m', question: 'Ship it?' };
  return spelled === 'ours'
    ? { type: 'webhook', url: `${url}/ask`, await: true, poll, ...question }
    : { type: 'await_poll', ...poll, ...question };
};

test.each(['ours', 'seed'] as const)('a session waits for what a server says, spelled %s', async spelled => {
  const { url, received } = await receiver((response, _at, request) =>
    response.end(request.url === '/state' ? `{"status":"${received.length < 3 ? 'open' : 'approved'}"}` : ''),
  );
  const hooks = { 'session.starting': [await asks(url, spelled)] };
  const project = bundled.project({ ...diary({}), 'hookloop.yaml': JSON.stringify({ hooks }) });
  const started = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go', '--quiet']);
  const { code } = await started.ended;
  expect(code, started.stderr()).toBe(0);
  expect(received.filter(each => each.url === '/ask').length).toBe(spelled === 'ours' ? 1 : 0);
});

test('a server that rejects ends the session as a person would', async () => {
  const { url } = await receiver(response => response.end('{"status":"rejected","message":"not on a Friday"}'));
  const hooks = { 'session.starting': [await asks(url, 'ours')] };
  const project = bundled.project({ ...diary({}), 'hookloop.yaml': JSON.stringify({ hooks }) });
  const started = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go', '--quiet']);
  expect((await started.ended).code).toBe(1);
  expect(started.stderr()).toContain('not on a Friday');
});

test('killed while it waits, a session that is resumed asks on and does not send its question again', async () => {
  let status = 'open';
  const { url, received } = await receiver((response, _at, request) =>
    response.end(request.url === '/state' ? JSON.stringify({ status }) : ''),
  );
  const hooks = { 'session.starting': [await asks(url, 'ours')] };
  const project = bundled.project({ ...diary({}), 'hookloop.yaml': JSON.stringify({ hooks }) });
  const started = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'go', '--quiet']);
  await eventually(() => received.filter(each => each.url === '/state').length >= 2);
  started.process.kill('SIGKILL');
  await started.ended;
  status = 'approved';
  const resumed = project.start(['resume', 's', '--quiet']);
  expect((await resumed.ended).code, resumed.stderr()).toBe(0);
  expect(received.filter(each => each.url === '/ask')).toHaveLength(1);
  const results = project.journal('s').flatMap(entry => (entry.kind === 'hook.finished' ? [entry.result] : []));
  expect(results).toMatchObject([
    { outcome: { kind: 'answered', action: 'approve', response: { status: 'approved' } } },
  ]);
});

test.each([
  ['every: 0.2s', { every: '0.2s' }, 'every must be between 1s and 24h'],
  ['no answer awaited', {}, 'no answer is awaited, so none can be polled'],
  ['a condition over something else', { until: "ITERATION == 'x'" }, 'unknown variable ITERATION'],
  ['a URL of plain text', { url: 'http://example.com/x' }, 'http://example.com is not allowed'],
])('check tells of %s', async (_what, more, message) => {
  const poll = { url: 'https://example.com/x', until: "response.status == 'ok'", ...more };
  const entry = {
    type: 'webhook',
    url: 'https://example.com/ask',
    await: message.startsWith('no answer') ? undefined : true,
    poll,
  };
  const project = bundled.project({ 'hookloop.yaml': JSON.stringify({ hooks: { 'session.starting': [entry] } }) });
  const started = project.start(['check']);
  expect((await started.ended).code).not.toBe(0);
  expect(started.stdout() + started.stderr()).toContain(message);
});
