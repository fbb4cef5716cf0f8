import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventually } from '../platform/fixtures/programs.ts';
import { readQuestion, readSettlement } from '../session/file-store/question-files.ts';
import { createUser, never, post, raw, rawRequest } from './fixtures/user.ts';

async function asked(more: Parameters<ReturnType<typeof createUser>['ask']>[0] = {}) {
  const user = createUser();
  const open = await user.ask(more);
  const { origin, port, pathname } = new URL(open.callbackUrl);
  const [, , id, token] = pathname.split('/') as [string, string, string, string];
  return { user, open, url: open.callbackUrl, origin, id, token, port: Number(port), pathname };
}

describe('an answer', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  test.each<[string, string, string, Record<string, string>, object]>([
    [
      'JSON',
      '',
      '{"action":"approve","message":"go","extra":[1]}',
      {},
      { action: 'approve', message: 'go', extra: [1] },
    ],
    ['a form', '', 'action=reject&message=no+way', form, { action: 'reject', message: 'no way' }],
    ['the query alone', '?action=approve', '', {}, { action: 'approve' }],
    ['the query, with a message in the body', '?action=yes', '{"message":"ok"}', {}, { action: 'yes', message: 'ok' }],
    ['both, where they mean the same', '?action=yes', 'action=approve', form, { action: 'approve' }],
    ['JSON that curl calls a form', '', '{"action":"continue"}', form, { action: 'continue' }],
    ['a word in capitals', '?action=Decline', '', {}, { action: 'Decline' }],
  ])('is taken from %s', async (_, query, body, headers, response) => {
    const { open, url } = await asked();
    expect((await post(url + query, body, headers)).status).toBe(200);
    const { action = '', message = '' } = response as { action?: string; message?: string };
    expect(await open.wait(never())).toMatchObject({ kind: 'answered', action, message, response });
  });

  test('finds its question by every form of the URL, also one with a second question mark', async () => {
    const forms = [
      '/callback/ID/TOKEN?action=approve',
      '/callback/ID?token=TOKEN&action=approve',
      '/callback?token=TOKEN&action=approve',
      '/callback?token=TOKEN?action=approve',
      '/callback/ID/TOKEN/?action=approve',
      '/behind/a/proxy/callback/ID/TOKEN?action=approve',
    ];
    for (const path of forms) {
      const { open, origin, id, token } = await asked();
      const response = await post(origin + path.replace('ID', id).replace('TOKEN', token));
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      expect(await open.wait(never())).toMatchObject({ action: 'approve' });
    }
  });

  test('counts once: the same again is already recorded, another is too late, and the page says what was answered', async () => {
    const { url, user, id } = await asked();
    const reply = async (query: string) => {
      const response = await post(url + query);
      return [response.status, ((await response.json()) as { status: string }).status];
    };
    expect(await reply('?action=approve&message=fine')).toEqual([200, 'recorded']);
    expect(await reply('?action=approve&message=fine')).toEqual([200, 'already recorded']);
    expect(await reply('?action=approve')).toEqual([200, 'already recorded']);
    expect(await reply('?action=approve&message=other')).toEqual([410, 'already answered']);
    expect(await reply('?action=reject')).toEqual([410, 'already answered']);
    expect(readSettlement(user.folder, id)).toMatchObject({ action: 'approve', message: 'fine' });
    const page = await fetch(url);
    expect(page.status).toBe(410);
    expect(await page.text()).toMatch(/Approved.*by a request to the callback URL.*“fine”/s);
  });

  test('does not count after the deadline', async () => {
    const { open, url } = await asked({ deadlineMs: 30 });
    expect(await open.wait(never())).toEqual({ kind: 'expired' });
    expect((await post(`${url}?action=approve`)).status).toBe(410);
    expect(await (await fetch(url)).text()).toContain('This question has expired');
  });

  test('past the deadline does not count even where no one waits', async () => {
    const { url, user, id } = await asked({ deadlineMs: 700 });
    expect(readSettlement(user.folder, id)).toBeUndefined();
    const { expires } = readQuestion(user.folder, id)!;
    await eventually(() => Date.now() > Date.parse(expires!));
    expect((await post(`${url}?action=approve`)).status).toBe(410);
    expect(readSettlement(user.folder, id)).toBeUndefined();
  });
});

test.each([
  ...['nein', 'rejct', 'reject!', 'no way', 'disapprove', 'postpone', 'y', 'true', 'approve or reject', 'ship'],
])('the word %s is not an answer: 422 with the words that are, and the question stays open', async word => {
  const { url, user, id } = await asked();
  const asQuery = await post(`${url}?action=${encodeURIComponent(word)}`);
  const asBody = await post(url, JSON.stringify({ action: word }));
  for (const response of [asQuery, asBody]) {
    expect(response.status).toBe(422);
    const { error, actions } = (await response.json()) as { error: string; actions: Record<string, string[]> };
    expect(error).toContain(`“${word}” is not an answer`);
    expect(error).toContain('To approve: approve, approved, continue, ok, yes. To reject: reject, rejected, abort, ');
    expect(actions['reject']).toContain('cancel');
  }
  expect(readSettlement(user.folder, id)).toBeUndefined();
  expect((await post(`${url}?action=reject`)).status).toBe(200);
});

test("a hook's own words answer its question, and no other", async () => {
  const actions = { Ship: 'approve', hold: 'reject' } as const;
  const { open, url } = await asked({ actions });
  const page = await (await fetch(url)).text();
  expect([...page.matchAll(/name="action" value="([^"]+)"/g)].map(([, word]) => word)).toEqual(['Ship', 'hold']);
  expect((await post(`${url}?action=later`)).status).toBe(422);
  expect((await post(`${url}?action=ship`, '{"message":"go"}')).status).toBe(200);
  expect(await open.wait(never())).toMatchObject({ action: 'ship', response: { action: 'ship', message: 'go' } });
  expect(await (await fetch(url)).text()).toContain('Approved with “ship”');
  const other = await asked();
  expect((await post(`${other.url}?action=ship`)).status).toBe(422);
});

describe('what is not an answer', () => {
  const json = { 'content-type': 'application/json' };
  const deep = `{"action":"approve","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  test.each<[string, number, string, Record<string, string>]>([
    ['nothing', 422, '', {}],
    ['broken JSON', 422, '{"action":', json],
    ['JSON that is no object', 422, '["approve"]', json],
    ['null', 422, 'null', json],
    ['an action that is no text', 422, '{"action":true}', json],
    ['an empty action', 422, '{"action":"  "}', json],
    ['an action with a line break', 422, '{"action":"approve\\nx"}', json],
    ['an action that is long', 422, `{"action":"${'a'.repeat(65)}"}`, json],
    ['a message that is no text', 422, '{"action":"approve","message":{}}', json],
    ['JSON that is nested deeply', 422, deep, json],
    [
      'a form with two actions',
      422,
      'action=approve&action=reject',
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    ['JSON with two actions', 422, '{"action":"reject","action":"approve"}', json],
    ['JSON with an action in disguise', 422, '{"action":"reject","\\u0061ction":"approve"}', json],
    ['bytes that are no UTF-8', 422, '{"action":"\xff"}', json],
    ['a file', 415, '--x', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['something compressed', 415, 'x', { ...json, 'content-encoding': 'gzip' }],
    ['more than 64 KiB', 413, `{"action":"approve","message":"${'m'.repeat(70_000)}"}`, json],
  ])('%s gets %i', async (_, status, body, headers) => {
    const { url, user, id } = await asked();
    const bytes = Buffer.from(body, body.includes('\xff') ? 'latin1' : 'utf8');
    const response = await fetch(url, { method: 'POST', body: bytes, headers });
    expect({ status: response.status, settled: readSettlement(user.folder, id) }).toEqual({
      status,
      settled: undefined,
    });
    expect((await post(`${url}?action=approve`)).status).toBe(200);
  });

  test('names that mean something to JavaScript do no harm and are not kept', async () => {
    const { open, url } = await asked();
    await post(url, '{"action":"approve","__proto__":{"polluted":1},"constructor":2,"token":"t"}');
    expect(await open.wait(never())).toMatchObject({ response: { action: 'approve' } });
    expect(JSON.stringify(await open.wait(never()))).not.toMatch(/polluted|constructor|token/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('a body without end is cut off', async () => {
    const { url, user, id } = await asked();
    const headers = { 'content-type': 'application/json', 'content-length': '10000000000' };
    expect((await rawRequest('POST', url, { headers, body: '{' })).status).toBe(413);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const { host, port, pathname } = new URL(url);
    const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    const sent = await raw(Number(port), head + chunk.repeat(40)).catch(() => ({ status: 413 }));
    expect(sent.status).toBe(413);
    expect(readSettlement(user.folder, id)).toBeUndefined();
  });

  test('two actions in the URL get 422', async () => {
    const { url } = await asked();
    expect((await post(`${url}?action=approve&action=reject`)).status).toBe(422);
  });

  test.each([
    ['reject', 'approve'],
    ['approve', 'reject'],
    ['later', 'approve'],
  ])('%s in the URL and %s in the body get 422, and the question stays open', async (linked, sent) => {
    const { url, user, id } = await asked();
    const response = await post(`${url}?action=${linked}`, JSON.stringify({ action: sent }));
    expect([response.status, readSettlement(user.folder, id)]).toEqual([422, undefined]);
    expect(await response.text()).toContain('different actions');
    expect((await post(url, JSON.stringify({ action: 'approve' }))).status).toBe(200);
  });

  test('an empty action in the URL is none', async () => {
    const { url } = await asked();
    expect((await post(`${url}?action=`, JSON.stringify({ action: 'approve' }))).status).toBe(200);
  });

  test('the page of a link that names an action answers with its buttons alone', async () => {
    const { origin, id, token } = await asked();
    const page = await (await fetch(`${origin}/callback/${id}?token=${token}&action=approve`)).text();
    expect(/<form [^>]*action="([^"]*)"/.exec(page)?.[1]).toBe(`?token=${token}`);
  });

  test('what is not HTTP gets 400, and the server goes on', async () => {
    const { port, url } = await asked();
    expect((await raw(port, '\x16\x03\x01\x00 hello\r\n\r\n')).status).toBe(400);
    const { pathname, host } = new URL(url);
    const smuggled = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect((await raw(port, smuggled)).status).toBe(400);
    expect((await fetch(url)).status).toBe(200);
  });
});

test('clients that never finish their request do not keep out the one who answers', async () => {
  const { port, url } = await asked();
  const sockets = Array.from({ length: 700 }, () => {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => {})
      .resume();
    socket.write('POST /callback HTTP/1.1\r\nhost:');
    return socket;
  });
  const closed = sockets.map(socket => new Promise(resolve => socket.on('close', resolve)));
  await Promise.all(
    sockets.map(socket => new Promise(resolve => socket.once('connect', resolve).once('close', resolve))),
  );
  const from = performance.now();
  expect((await post(`${url}?action=approve`)).status).toBe(200);
  expect(performance.now() - from).toBeLessThan(2000);
  await Promise.all(closed);
  expect(performance.now() - from).toBeLessThan(15_000);
});

test('a question published elsewhere is answered through its proxy, whatever host that one passes on', async () => {
  const { url, open, port, user } = await asked({ baseUrl: 'https://approvals.example.com/team/' });
  expect(url).toMatch(/^https:\/\/approvals\.example\.com\/team\/callback\//);
  const local = url.replace('https://approvals.example.com/team', `http://127.0.0.1:${port || portOf(user, open.id)}`);
  const send = (method: string, headers: Record<string, string>) =>
    rawRequest(method, `${local}?action=approve`, { headers });
  expect((await send('GET', { host: 'approvals.example.com' })).status).toBe(200);
  expect((await send('GET', { host: 'other.example.com' })).status).toBe(421);
  expect((await send('POST', { origin: 'https://evil.example' })).status).toBe(403);
  expect((await send('POST', { origin: 'https://approvals.example.com' })).status).toBe(200);
});

function portOf({ folder }: ReturnType<typeof createUser>, id: string): number {
  return readQuestion(folder, id)!.port;
}
