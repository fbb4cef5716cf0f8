import { expect, test } from 'vitest';
import { receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';

const secrets = {
  API_TOKEN: 'tok-0123456789',
  PLAIN_NAME: 'value-of-no-secret-name',
  FILE_VALUE: 'from-the-secrets-file',
  SIGNING: 'whsec_c2lnbmluZyBrZXkgb2YgdGhlIHVzZXI=',
};
const { FILE_VALUE, ...env } = secrets;

/** Everything that may leave a run. */
const told = (sent: unknown): string => JSON.stringify(sent);

const action = {
  headers: { authorization: 'Bearer ${API_TOKEN}', 'x-written': 'written-into-the-file' },
  body: { a: '${PLAIN_NAME}', b: '${FILE_VALUE}', c: '${SESSION}' },
  secret: '${SIGNING}',
};
const all = [...Object.values(secrets), 'written-into-the-file', 'T0/B0/a-long-path-part', 'pass-word', 'query-value'];
const suffix = '/services/T0/B0/a-long-path-part?key=query-value';

test.each([200, 302, 400, 500])('a receiver that sends back all it got (%i) tells nothing', async status => {
  const { url, received } = await receiver((response, _at, { headers, url: path }) => {
    const [last] = received.slice(-1);
    const parts = [path, headers.host, headers.authorization, headers['x-written'], last?.body, ...all];
    response.writeHead(status, { 'x-back': 'x' }).end(parts.join(' '));
  });
  for (const at of all.keys()) {
    const first = all.slice(at).join(' ');
    const sent = await run(
      webhook(url.replace('//', '//me:pass-word@') + suffix, { ...action, body: { ...action.body, first } }),
      {},
      { env, secrets: () => ({ FILE_VALUE }) },
    );
    expect(sent.outcome).toMatchObject({ kind: 'replied', status });
    for (const secret of all) expect(told(sent)).not.toContain(secret);
  }
  expect(received[0]!.body).toContain(FILE_VALUE);
});

test('a secret at the edge of what is kept is not told in part', async () => {
  for (let before = 170; before <= 200; before += 1) {
    const { url } = await receiver(response => response.end('x'.repeat(before) + secrets.API_TOKEN));
    const sent = await run(webhook(url), {}, { env });
    expect(told(sent)).not.toContain('tok-');
  }
});

test.each([
  ['no one listens', 'http://127.0.0.1:1', {}],
  ['http is not allowed', 'http://receiver.example', {}],
  ['the address is private', 'https://10.0.0.1', {}],
  ['the host is not found', 'https://receiver.example', {}],
  ['a header is refused', 'http://127.0.0.1:1', { 'x-a': '${API_TOKEN}\n' }],
])('when %s the reason tells no more than scheme and host', async (_what, base, headers) => {
  const lookup = () => Promise.reject(Object.assign(new Error(secrets.API_TOKEN), { code: secrets.API_TOKEN }));
  const sent = await run(
    webhook(`${base.replace('//', '//me:pass-word@')}${suffix}&t=\${API_TOKEN}`, {
      ...action,
      headers: { ...action.headers, ...headers },
    }),
    {},
    { env, secrets: () => ({ FILE_VALUE }), lookup },
  );
  expect(sent.outcome).toMatchObject({ kind: 'not-started' });
  for (const secret of [...all, 'services', 'key=', 'me:']) expect(told(sent)).not.toContain(secret);
});
