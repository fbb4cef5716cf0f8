import { expect, test } from 'vitest';
import type { WebhookAction } from '../../model/index.ts';
import { createValues, fillUrl } from './fill.ts';
import { receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';

const env = {
  HOST: 'api.example',
  PORT: '8443',
  HOST_PORT: 'api.example:8443',
  BASE: 'https://api.example/v1?k=a%20b',
  PADDED: ' https://api.example/x\n',
  EMPTY: '',
  PASSWORD: 'p@ss/w:rd',
};
const event = { ID: 'a b/c?d=e&f#g%é', DOT: '.', DOTS: '..', ENCODED: '%2e%2e', EVIL: 'evil.example/', HALF: '\ud800' };
const values = () => createValues({ event, env, secrets: () => ({}) });

test.each([
  ['https://api.example/${ID}', 'https://api.example/a%20b%2Fc%3Fd%3De%26f%23g%25%C3%A9'],
  ['https://api.example/?q=${ID}&r=1', 'https://api.example/?q=a%20b%2Fc%3Fd%3De%26f%23g%25%C3%A9&r=1'],
  ['https://api.example/${HALF}', 'https://api.example/%EF%BF%BD'],
  ['https://api.example/x${DOTS}y/${ENCODED}', 'https://api.example/x..y/%252e%252e'],
  ['https://api.example/a/../${ID}?x=${DOTS}', 'https://api.example/a%20b%2Fc%3Fd%3De%26f%23g%25%C3%A9?x=..'],
  ['${BASE}', 'https://api.example/v1?k=a%20b'],
  ['${BASE}&id=${ID}', 'https://api.example/v1?k=a%20b&id=a%20b%2Fc%3Fd%3De%26f%23g%25%C3%A9'],
  ['${PADDED}', 'https://api.example/x'],
  ['https://${HOST}/x', 'https://api.example/x'],
  ['https://${HOST_PORT}/x', 'https://api.example:8443/x'],
  ['https://${HOST}:${PORT}', 'https://api.example:8443/'],
  ['https://eu.${HOST}/', 'https://eu.api.example/'],
  ['https://me:${PASSWORD}@api.example/', 'https://me:p%40ss%2Fw%3Ard@api.example/'],
  ['https://api.example/$ID/$${X', 'https://api.example/$ID/$$%7BX'],
])('%s becomes %s', (template, url) => {
  expect(fillUrl(template, values())).toEqual({ kind: 'filled', value: new URL(url) });
});

test.each([
  ['https://api.example/a/${DOTS}/b', 'a value in the path of its url is . or ..'],
  ['https://api.example/a/${DOT}${DOT}/b', 'a value in the path of its url is . or ..'],
  ['https://${EVIL}.api.example/', '${EVIL} in its url is not part of a host name'],
  ['https://${PASSWORD}/', '${PASSWORD} in its url is not part of a host name'],
  ['${ID}', 'its url starts with ${ID}, which is part of the event'],
  ['${UNSET}', 'its url is empty: no value for UNSET'],
  ['${EMPTY}', 'its url is empty'],
  ['${PASSWORD}', 'its url is not a URL once variables are filled in'],
  ['https://${EMPTY}/', 'its url is not a URL once variables are filled in'],
  ['api.example/x', 'its url is not a URL once variables are filled in'],
])('%s is refused', (template, reason) => {
  expect(fillUrl(template, values())).toEqual({ kind: 'flaw', reason });
});

/** What a receiver gets for an action. */
async function sent(more: Partial<WebhookAction>, suffix = '') {
  const { url, received } = await receiver();
  const { outcome } = await run(webhook(url + suffix, more), {}, { env });
  return { outcome, ...received[0] };
}

const message = 'a "b" & c/d?é\n{}';

test.each([
  ['a mapping', {}, { a: '${MESSAGE}' }, JSON.stringify({ a: message })],
  ['keys as they are', {}, { '${MESSAGE}': 1 }, '{"${MESSAGE}":1}'],
  ['a list', {}, ['${MESSAGE}', 1.5, null], JSON.stringify([message, 1.5, null])],
  ['JSON in a string', {}, '{"a": "${MESSAGE}"}', JSON.stringify({ a: message })],
  ['a string as a JSON string', {}, 'now: ${MESSAGE}', JSON.stringify(`now: ${message}`)],
  ['text', { 'Content-Type': 'text/plain' }, 'now: ${MESSAGE}', `now: ${message}`],
  ['a type of JSON', { 'content-type': 'application/vnd.api+json; v=1' }, { a: 1 }, '{"a":1}'],
  [
    'a form in a string',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'a=${MESSAGE}&b=1',
    `a=${encodeURIComponent(message)}&b=1`,
  ],
  [
    'a form',
    { 'content-type': 'application/x-www-form-urlencoded' },
    { a: '${MESSAGE}', n: 1 },
    new URLSearchParams({ a: message, n: '1' }).toString(),
  ],
])('a body is sent as %s', async (_what, headers: Record<string, string>, body, expected) => {
  const request = await sent({ body, headers });
  expect(request.body).toBe(expected);
  expect(request.headers?.['content-type']).toBe(Object.values(headers)[0] ?? 'application/json');
});

test.each(['GET', 'HEAD'])('%s has no body where none was written', async method => {
  const request = await sent({ method });
  expect(request).toMatchObject({ method, body: '' });
  expect(request.headers).not.toHaveProperty('content-type');
});

test('a body nested beyond reason is refused', async () => {
  let body: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth += 1) body = [body];
  expect((await sent({ body })).outcome).toEqual({ kind: 'not-started', reason: 'its body is nested too deep' });
});

test('headers are filled in, in UTF-8; ours stand unless the author has other ones', async () => {
  const { headers } = await sent({
    headers: { Authorization: 'Bearer ${PASSWORD}', 'X-Title': '${SESSION} ✓é', 'User-Agent': 'mine' },
  });
  expect(headers).toMatchObject({ authorization: 'Bearer p@ss/w:rd', 'user-agent': 'mine' });
  expect(Buffer.from(headers?.['x-title'] ?? '', 'latin1').toString()).toBe('s1 ✓é');
});

test('credentials in the URL become a header', async () => {
  const { url, received } = await receiver();
  await run(webhook(url.replace('//', '//me:${PASSWORD}@')), {}, { env });
  expect(received[0]?.headers['authorization']).toBe(`Basic ${Buffer.from('me:p@ss/w:rd').toString('base64')}`);
});

test.each([
  [{ 'x-a': '${MESSAGE}' }, 'header x-a would hold a line break'],
  [{ 'x-a': 'b\r\nx-c: d' }, 'header x-a would hold a line break'],
  [{ 'x-a': 'b\0' }, 'header x-a would hold a control character'],
  [{ 'x-a: b\r\nc': 'd' }, '"x-a: b\\r\\nc" is not the name of a header'],
  [{ Host: 'other.example' }, 'header Host cannot be set by a hook'],
  [{ 'Transfer-Encoding': 'chunked' }, 'header Transfer-Encoding cannot be set by a hook'],
  [{ 'Webhook-Id': 'x' }, 'header Webhook-Id cannot be set by a hook'],
])('headers %j are refused', async (headers, reason) => {
  expect(await sent({ headers: headers as Record<string, string> })).toEqual({
    outcome: { kind: 'not-started', reason },
  });
});

test.each(['CONNECT', 'GET / HTTP/1.1\r\nX:', ''])('the method %j is refused', async method => {
  expect((await sent({ method })).outcome).toMatchObject({
    kind: 'not-started',
    reason: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+: its method is not one that can be sent$/),
  });
});
