import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { elapsedMs, eventually } from '../fixtures/programs.ts';
import { receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';

/** A server below HTTP: says whatever it likes. */
async function rawReceiver(talk: (socket: Socket, at: number) => void) {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => talk(socket, connections++));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/hook?token=t0ps3cret`, port, sockets, connections: () => connections };
}

test('a receiver that hangs is left when the time is up', async () => {
  const { url, port, sockets } = await rawReceiver(() => {});
  const ms = await elapsedMs(async () => {
    const { outcome } = await run(webhook(url, { retries: 3 }), { timeoutMs: 400 });
    expect(outcome).toEqual({
      kind: 'timed-out',
      afterMs: 400,
      stdout: '',
      stderr: `http://127.0.0.1:${port}: no answer in time`,
    });
  });
  expect(ms).toBeGreaterThan(390);
  expect(ms).toBeLessThan(10_000);
  await eventually(() => [...sockets].every(socket => socket.destroyed));
});

test('a receiver that hangs before it is connected is left as well: in TLS, or in the name server', async () => {
  const { port, sockets } = await rawReceiver(() => {});
  const inTls = await run(webhook(`https://127.0.0.1:${port}/`), { timeoutMs: 300 });
  expect(inTls.outcome).toMatchObject({ kind: 'timed-out', afterMs: 300 });
  await eventually(() => [...sockets].every(socket => socket.destroyed));
  const lookup = () => new Promise<never>(() => {});
  const inDns = await run(webhook('https://receiver.example/'), { timeoutMs: 300 }, { lookup });
  expect(inDns.outcome).toEqual({
    kind: 'timed-out',
    afterMs: 300,
    stdout: '',
    stderr: 'https://receiver.example: no answer in time',
  });
});

test('a head that comes byte by byte does not hold us longer than the timeout', async () => {
  const { url } = await rawReceiver(socket => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x-drip: 1\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  expect((await run(webhook(url), { timeoutMs: 500 })).outcome).toMatchObject({ kind: 'timed-out', afterMs: 500 });
});

test('a body that drips is left at the timeout; the status has already said that it was taken', async () => {
  const { url, received } = await receiver(response => {
    response.writeHead(200).write('taken');
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const ms = await elapsedMs(async () => {
    const { outcome } = await run(webhook(url, { retries: 3 }), { timeoutMs: 500 });
    expect(outcome).toEqual({
      kind: 'replied',
      status: 200,
      body: expect.stringMatching(/^taken\.+ \.\.\. \(\d+ bytes, cut off\)$/),
    });
  });
  expect(ms).toBeLessThan(10_000);
  expect(received).toHaveLength(1);
});

test.each([
  ['200', 1],
  ['500', 2],
])('a connection reset in the body of a %s leaves what the status said', async (status, tries) => {
  const { url, connections } = await rawReceiver(socket => {
    socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: 1000\r\n\r\nhalf`, () => socket.resetAndDestroy());
  });
  const { outcome } = await run(webhook(url, { retries: 1 }));
  expect(outcome).toMatchObject({ kind: 'replied', status: Number(status) });
  expect(connections()).toBe(tries);
});

test('a connection that breaks before the answer is tried again, and told without the URL', async () => {
  const { url, port, connections } = await rawReceiver(socket => socket.resetAndDestroy());
  const { outcome } = await run(webhook(url, { retries: 1 }));
  expect(outcome).toEqual({
    kind: 'not-started',
    reason: `http://127.0.0.1:${port}: the connection was broken (2 tries)`,
  });
  expect(connections()).toBe(2);
});

test.each([
  ['nonsense', 'lkjhlkjh\r\n\r\n'],
  ['an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
])('%s for an answer is a failure', async (_what, answer) => {
  const { url } = await rawReceiver(socket => socket.end(answer));
  expect((await run(webhook(url))).outcome).toMatchObject({
    kind: 'not-started',
    reason: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+: /),
  });
});

test('no one listening is a failure', async () => {
  expect((await run(webhook('http://127.0.0.1:1/hook?token=t0ps3cret'))).outcome).toEqual({
    kind: 'not-started',
    reason: 'http://127.0.0.1:1: connection refused',
  });
});

test.each([301, 302, 303, 307, 308])('%i to another host is a failure, and nothing arrives there', async status => {
  const other = await receiver();
  const { url, received } = await receiver(response => response.writeHead(status, { location: other.url }).end());
  const { outcome } = await run(webhook(url, { retries: 2, headers: { authorization: 'Bearer t0ken' } }));
  expect(outcome).toEqual({ kind: 'replied', status, body: '' });
  expect(received).toHaveLength(1);
  expect(other.received).toEqual([]);
});

const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));

test.each(['gzip', 'br', 'deflate', 'gzip, gzip'])('a gzip bomb that claims to be %s does not hurt', async encoding => {
  const { url } = await receiver(response => {
    response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
  });
  const before = process.memoryUsage.rss();
  const { outcome } = await run(webhook(url));
  expect(outcome).toMatchObject({ kind: 'replied', status: 200 });
  if (encoding === 'gzip') expect(outcome).toMatchObject({ body: '... (more than 65536 bytes)' });
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
});

test('an endless body is read to 64 KiB, kept to 200 characters, and its connection ended', async () => {
  let written = 0;
  const { url } = await receiver(response => {
    const more = (): void => {
      while (!response.destroyed && response.write('word '.repeat(2000))) written += 10_000;
    };
    response.on('drain', more);
    more();
  });
  const { outcome } = await run(webhook(url));
  if (outcome.kind !== 'replied') throw new Error(outcome.kind);
  expect(outcome.body).toMatch(/^word word .* \.\.\. \(more than 65536 bytes\)$/);
  expect(outcome.body.length).toBeLessThanOrEqual(200);
  expect(written).toBeLessThan(20_000_000);
});

test('terminal controls and line ends of an answer are not kept', async () => {
  const { url } = await receiver(response => response.writeHead(400).end('\x1b[2Jno\r\n\u202ebad\0'));
  expect((await run(webhook(url))).outcome).toEqual({ kind: 'replied', status: 400, body: '[2Jno bad' });
});
