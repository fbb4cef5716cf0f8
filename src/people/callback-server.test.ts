import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleProgram, eventually } from '../platform/fixtures/programs.ts';
import { joinServer } from './callback-server.ts';
import { start } from './fixtures/programs.ts';
import { createUser, freePort, never, opened, post, request } from './fixtures/user.ts';

const asker = await bundleProgram(new URL('./fixtures/asker.ts', import.meta.url));

async function foreignServer(port: number): Promise<Server> {
  const server = createServer((_, response) => response.end('0'.repeat(64)));
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

describe('one port', () => {
  test('serves all sessions of a process, and is free once all have left', async () => {
    const user = createUser();
    const port = await freePort();
    const [a, b] = [user.approvals(), user.approvals()];
    const first = opened(await a.open(await request({ port })));
    const second = opened(await b.open(await request({ port })));
    expect([first, second].map(({ callbackUrl }) => new URL(callbackUrl).port)).toEqual([`${port}`, `${port}`]);
    await a.close();
    expect((await post(`${first.callbackUrl}?action=approve`)).status).toBe(200);
    await b.close();
    expect(await canConnect(port)).toBe(false);
  });

  test('serves several processes of a user: each answers for all, and another takes over when the first is killed', async () => {
    const user = createUser();
    const port = await freePort();
    const args = [user.home, user.sessionFolder, user.root, String(port)];
    const one = start(asker, args);
    const first = await one.next();
    const other = start(asker, args);
    const second = await other.next();
    const urls = [first, second].map(({ callbackUrl }) => String(callbackUrl));
    expect(urls.map(url => new URL(url).port)).toEqual([`${port}`, `${port}`]);
    for (const url of urls) expect((await fetch(url)).status).toBe(200);
    one.child.kill('SIGKILL');
    let status = 0;
    await eventually(() => {
      post(`${urls[1]}?action=approve`).then(
        response => {
          status ||= response.status;
        },
        () => {},
      );
      return status !== 0;
    });
    expect(status).toBe(200);
    expect(await other.next()).toMatchObject({ kind: 'answered', action: 'approve' });
  });

  test('of another user, or of a foreign program, is left alone: a new question moves to a port nearby', async () => {
    const port = await freePort();
    const [alice, bob, carol] = [createUser(), createUser(), createUser()];
    const first = await alice.ask({ port });
    const second = await bob.ask({ port });
    const third = await carol.ask({ port });
    const ports = [first, second, third].map(({ callbackUrl }) => Number(new URL(callbackUrl).port));
    expect(ports[0]).toBe(port);
    expect(new Set(ports).size).toBe(3);
    for (const { callbackUrl } of [first, second, third]) expect((await fetch(callbackUrl)).status).toBe(200);
    expect((await fetch(second.callbackUrl.replace(`:${ports[1]}`, `:${port}`))).status).toBe(404);
  });

  test('of a program that never replies costs a second', async () => {
    const port = await freePort();
    const silent = createTcpServer(() => {});
    await new Promise<void>(resolve => silent.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.close();
    });
    const from = performance.now();
    const { callbackUrl } = await createUser().ask({ port });
    expect(performance.now() - from).toBeLessThan(5000);
    expect((await fetch(callbackUrl)).status).toBe(200);
  });

  test('that is no port is a failure', async () => {
    const { folder, questions } = createUser();
    for (const port of [0, -1, 70_000, 1.5, Number.NaN])
      expect(await joinServer(questions, port)).toMatchObject({ kind: 'failed' });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('after a restart', () => {
  test('a question keeps its URL', async () => {
    const user = createUser();
    const again = await request({ key: 'k' });
    const before = user.approvals();
    const first = opened(await before.open(again));
    await before.close();
    const second = opened(await user.approvals().open(again));
    expect(second).toMatchObject({ id: first.id, callbackUrl: first.callbackUrl });
  });

  test('a question whose port was taken by a foreign program gets a new URL, and its token stays valid', async () => {
    const user = createUser();
    const again = await request({ key: 'k' });
    const before = user.approvals();
    const first = opened(await before.open(again));
    await first.markSent();
    await before.close();
    await foreignServer(again.port);
    const second = opened(await user.approvals().open(again));
    expect(second).toMatchObject({ id: first.id, sent: false });
    expect(new URL(second.callbackUrl).port).not.toBe(String(again.port));
    expect(new URL(second.callbackUrl).pathname).toBe(new URL(first.callbackUrl).pathname);
    expect((await post(`${second.callbackUrl}?action=approve`)).status).toBe(200);
    expect(await second.wait(never())).toMatchObject({ action: 'approve' });
  });
});

test('whoever answers gets the reply, although the session ends with the answer', async () => {
  const user = createUser();
  const approvals = user.approvals();
  const open = opened(await approvals.open(await request()));
  const closed = open.wait(never()).then(() => approvals.close());
  const reply = await post(`${open.callbackUrl}?action=approve`);
  expect([reply.status, ((await reply.json()) as { status: string }).status]).toEqual([200, 'recorded']);
  await closed;
});
