import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { receiver } from './fixtures/receiver.ts';
import { run, runOf, webhook } from './fixtures/runner.ts';
import { createWebhookRunner } from './runner.ts';

test('a webhook is sent as JSON with its variables, and the answer is its outcome', async () => {
  const { url, received } = await receiver(response => response.writeHead(202).end('taken'));
  const body = { text: 'Pipeline ${SESSION} after ${ITERATION}', deep: [{ n: 1, why: '${MESSAGE}' }, null, true] };
  const { outcome, warnings } = await run(webhook(`${url}/in`, { body }));
  expect(outcome).toEqual({ kind: 'replied', status: 202, body: 'taken' });
  expect(warnings).toEqual([]);
  const [{ headers, ...request } = { headers: {} as Record<string, string> }] = received;
  expect(request).toEqual({
    method: 'POST',
    url: '/in',
    body: JSON.stringify({
      text: 'Pipeline s1 after 3',
      deep: [{ n: 1, why: 'a "b" & c/d?é\n{}' }, null, true],
    }),
  });
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'hookloop/source',
    'webhook-id': expect.stringMatching(/^msg_[\w-]{24}$/),
  });
  expect(headers).not.toHaveProperty('webhook-signature');
});

test('values come from the event first, then from the secrets file, then from the environment', async () => {
  const { url, received } = await receiver();
  const body = { a: '${SESSION}', b: '${FILE_TOO}', c: '${ENV_ONLY}', d: '${constructor}${__proto__}' };
  const { warnings } = await run(
    webhook('${TARGET}/x', { body }),
    {},
    {
      env: { TARGET: url, SESSION: 'env', FILE_TOO: 'env', ENV_ONLY: 'env' },
      secrets: () => ({ SESSION: 'file', FILE_TOO: 'file' }),
    },
  );
  expect(JSON.parse(received[0]!.body)).toEqual({ a: 's1', b: 'file', c: 'env', d: '' });
  expect(warnings).toEqual([
    'webhook ${URL}: ${constructor} has no value, so it is empty',
    'webhook ${URL}: ${__proto__} has no value, so it is empty',
  ]);
});

test('CALLBACK_URL exists only for webhooks that are awaited', async () => {
  const { url, received } = await receiver();
  const { warnings } = await run(
    webhook(url, { body: { to: '${CALLBACK_URL}?x' } }),
    {},
    { env: { CALLBACK_URL: 'no' } },
  );
  expect(received[0]!.body).toBe('{"to":"?x"}');
  expect(warnings).toEqual(['webhook ${URL}: ${CALLBACK_URL} is available only for awaited webhooks, so it is empty']);
});

const secret = `whsec_${Buffer.from('a key of twenty-four byte').toString('base64')}`;

test('with a secret every try is signed as Standard Webhooks has it, under the same id', async () => {
  const { url, received } = await receiver((response, at) => response.writeHead(at < 1 ? 500 : 200).end());
  const { outcome } = await run(
    webhook(url, { body: { a: 'é${MESSAGE}' }, secret: '${HOOK_KEY}', retries: 1 }),
    { key: 'event 7#hook' },
    { env: { HOOK_KEY: secret } },
  );
  expect(outcome).toEqual({ kind: 'replied', status: 200, body: '' });
  expect(received).toHaveLength(2);
  for (const { body, headers } of received)
    expect(new Webhook(secret).verify(body, headers)).toEqual({ a: 'éa "b" & c/d?é\n{}' });
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  const forged = { ...received[0]!.headers, 'webhook-id': 'msg_other' };
  expect(() => new Webhook(secret).verify(received[0]!.body, forged)).toThrow('No matching signature');
});

test.each([
  ['is empty', '${UNSET}', 'its secret is empty, so it cannot be signed'],
  ['is not base64', 'my-secret!', 'its secret is not one of Standard Webhooks (whsec_ and base64)'],
])('a webhook whose secret %s is not sent', async (_what, written, reason) => {
  const { url, received } = await receiver();
  const { outcome } = await run(webhook(url, { secret: written }));
  expect(outcome).toEqual({ kind: 'not-started', reason });
  expect(received).toEqual([]);
});

test('the id of a delivery is the same in a new process of the session, and another for other runs', async () => {
  const { url, received } = await receiver();
  await run(webhook(url), { key: 'k1' }, { seed: 'one' });
  await run(webhook(url), { key: 'k1' }, { seed: 'one' });
  await run(webhook(url), { key: 'k2' }, { seed: 'one' });
  await run(webhook(url), { key: 'k1' }, { seed: 'two' });
  await run(webhook(url), {}, { seed: 'one' });
  await run(webhook(url), {}, { seed: 'one' });
  const ids = received.map(({ headers }) => headers['webhook-id']);
  expect(ids[1]).toBe(ids[0]);
  expect(new Set(ids).size).toBe(5);
});

test('a run that is cancelled before it starts sends nothing', async () => {
  const { url, received } = await receiver();
  const { outcome } = await run(webhook(url), { signal: AbortSignal.abort() });
  expect(outcome).toEqual({ kind: 'cancelled' });
  expect(received).toEqual([]);
});

test('a runner never rejects, not even for secrets that cannot be read', async () => {
  const runner = createWebhookRunner({
    env: {},
    seed: '',
    secrets() {
      throw new TypeError('https://secret.example/token');
    },
  });
  const action = webhook('${X}');
  expect(await runner.webhook(action, runOf(action, 'user', {}))).toEqual({
    kind: 'not-started',
    reason: 'sending it failed: TypeError',
  });
});
