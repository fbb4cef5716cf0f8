import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSettlement } from '../../session/file-store/question-files.ts';
import { createUser, post, raw, rawRequest } from '../fixtures/user.ts';

async function asked() {
  const user = createUser();
  const open = await user.ask();
  const { id, callbackUrl: url } = open;
  const [, token = ''] = /([^/]+)$/.exec(url) ?? [];
  return { user, open, id, url, token, origin: new URL(url).origin, port: Number(new URL(url).port) };
}
const undecided = ({ user, id }: Awaited<ReturnType<typeof asked>>) => readSettlement(user.folder, id) === undefined;

describe('looking never decides', () => {
  test.each(['GET', 'HEAD'])('%s with an action shows the question and changes nothing', async method => {
    const question = await asked();
    for (const each of ['?action=approve', '?action=reject&message=x', ''])
      expect((await fetch(question.url + each, { method })).status).toBe(200);
    expect(undecided(question)).toBe(true);
  });

  test('HEAD has no body', async () => {
    const { url } = await asked();
    expect(await rawRequest('HEAD', url)).toMatchObject({ status: 200, body: '' });
  });

  test('a GET with a body does not decide', async () => {
    const question = await asked();
    const body = '{"action":"approve"}';
    const reply = await rawRequest('GET', question.url, { headers: { 'content-type': 'application/json' }, body });
    expect({ status: reply.status, undecided: undecided(question) }).toEqual({ status: 200, undecided: true });
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])('%s is not a way to answer', async method => {
    const question = await asked();
    const { status, head } = await rawRequest(method, `${question.url}?action=approve`);
    expect({ status, allow: head.includes('allow: get, head, post') }).toEqual({ status: 405, allow: true });
    expect(undecided(question)).toBe(true);
  });
});

describe('a wrong token', () => {
  test('and an unknown question get the same reply, in every form', async () => {
    const { origin, id, token } = await asked();
    const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    const paths = [
      `/callback/${id}/${wrong}`,
      `/callback/zzzzzzzz/${token}`,
      `/callback/${id}`,
      `/callback/${id}?token=`,
      `/callback?token=${wrong}`,
      '/callback/../../etc/passwd',
      `/callback/${id}/${token}/more`,
      `/callback/%2e%2e/${token}`,
      `/callback/${id}/${'a'.repeat(5000)}`,
      '/',
    ];
    const replies = await Promise.all(
      paths.flatMap(path =>
        ['GET', 'POST'].map(async method => {
          const response = await fetch(`${origin}${path}`, { method, headers: { accept: 'text/html' } });
          return `${response.status} ${await response.text()}`;
        }),
      ),
    );
    expect(replies[0]).toMatch(/^404 .*There is no question here/s);
    expect(new Set(replies).size).toBe(1);
  });

  test('given again and again is slowed down, while the right one is answered at once', async () => {
    const { origin, id, url } = await asked();
    const guess = () => fetch(`${origin}/callback/${id}/${'x'.repeat(43)}`).then(({ status }) => status);
    const from = performance.now();
    expect(await Promise.all(Array.from({ length: 20 }, guess))).toEqual(Array(20).fill(404));
    const fastMs = performance.now() - from;
    const slow = Promise.all(Array.from({ length: 6 }, guess)).then(() => performance.now() - from - fastMs);
    const begun = performance.now();
    expect((await post(`${url}?action=approve`)).status).toBe(200);
    const answeredMs = performance.now() - begun;
    const slowMs = await slow;
    expect(slowMs).toBeGreaterThan(1200);
    expect(answeredMs).toBeLessThan(slowMs / 2);
  });
});

describe('another web page', () => {
  test.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://127.0.0.1:1' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
  ] as [Record<string, string>, number][])('that sends %j cannot answer', async (headers, status) => {
    const question = await asked();
    const reply = await rawRequest('POST', `${question.url}?action=approve`, { headers });
    expect({ status: reply.status, undecided: undecided(question) }).toEqual({ status, undecided: true });
  });

  test('cannot load the question as a part of itself, but a link to it can be followed', async () => {
    const { url } = await asked();
    const get = async (headers: Record<string, string>) => (await rawRequest('GET', url, { headers })).status;
    expect(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await get({ origin: 'https://evil.example' })).toBe(403);
    expect(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(200);
  });

  test('that our own form stands on can answer', async () => {
    const { url, origin } = await asked();
    const headers = { origin, 'sec-fetch-site': 'same-origin' };
    expect((await rawRequest('POST', `${url}?action=approve`, { headers })).status).toBe(200);
  });

  test.each([
    'evil.example',
    '127.0.0.1',
    '127.0.0.1:1',
    '[::1]:PORT',
    'localhost.evil.example:PORT',
    '127.0.0.1:PORT.evil.example',
  ])('whose name %s leads here by DNS gets nothing', async name => {
    const question = await asked();
    const host = name.replace('PORT', String(question.port));
    for (const method of ['GET', 'POST'])
      expect((await rawRequest(method, `${question.url}?action=approve`, { headers: { host } })).status).toBe(421);
    expect(undecided(question)).toBe(true);
  });

  test('localhost is this computer', async () => {
    const { url, port } = await asked();
    expect((await rawRequest('GET', url, { headers: { host: `LOCALHOST:${port}` } })).status).toBe(200);
  });

  test('no host, or two, is a bad request', async () => {
    const { port, url } = await asked();
    const { pathname } = new URL(url);
    const post = `POST ${pathname}?action=approve`;
    expect((await raw(port, `${post} HTTP/1.1\r\n\r\n`)).status).toBe(400);
    expect((await raw(port, `${post} HTTP/1.0\r\n\r\n`)).status).toBe(400);
    const two = `host: 127.0.0.1:${port}\r\nhost: evil.example\r\n`;
    expect((await raw(port, `${post} HTTP/1.1\r\n${two}\r\n`)).status).toBe(400);
  });
});

test('every reply carries the headers that keep a page to itself', async () => {
  const { url, origin } = await asked();
  for (const each of [url, `${origin}/callback/x/y`, `${origin}/nothing`]) {
    const { headers } = await fetch(each);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('access-control-allow-origin')).toBe(null);
  }
});

test('no token stands in any file', async () => {
  const { user, token, url } = await asked();
  await post(`${url}?action=approve`);
  const files = readdirSync(user.home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual(['.secret', 'answer.json', 'question.json']);
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name), 'utf8')).not.toContain(token);
});
