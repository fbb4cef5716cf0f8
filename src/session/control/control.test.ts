import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ControlRequest } from '../../model/control.ts';
import { eventually } from '../../platform/fixtures/programs.ts';
import { ownIdentity } from '../../platform/processes.ts';
import { isServed } from './address.ts';
import { askSession } from './ask-session.ts';
import { serve, untilAborted } from './fixtures/session.ts';

const list: ControlRequest = { method: 'task.list' };
const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

/** A client that writes what it likes. */
function talk(path: string): { socket: Socket; lines: unknown[]; isOver(): boolean } {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  const lines: unknown[] = [];
  let isOver = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    isOver = true;
  });
  createInterface(socket).on('line', line => lines.push(JSON.parse(line)));
  return { socket, lines, isOver: () => isOver };
}

describe('a session that is served', () => {
  test('answers each request with what it was asked', async () => {
    const { sessionFolder } = await serve();
    const requests: ControlRequest[] = [
      { method: 'task.add', content: 'write\nit "down" ✓' },
      list,
      { method: 'task.start', id: 'T1' },
      { method: 'task.done', id: 'T1', summary: 'did it' },
      { method: 'task.drop', id: 'T1', reason: '' },
      { method: 'score', score: -0.5, target: 1 },
      { method: 'approval', question: 'Ship it?', title: 'Release', files: ['a.md', 'b c.md'] },
      { method: 'finish', decision: 'stop', reason: 'all done', summary: 'all' },
    ];
    const replies = await Promise.all(requests.map(request => askSession(sessionFolder, request)));
    expect(replies).toEqual(requests.map(value => ({ kind: 'ok', value })));
  });

  test('hands on a refusal and its reason', async () => {
    const { sessionFolder } = await serve(async () => ({ kind: 'refused', reason: 'tests fail\n1 of 3' }));
    const reply = await askSession(sessionFolder, { method: 'task.done', id: 'T1' });
    expect(reply).toEqual({ kind: 'refused', reason: 'tests fail\n1 of 3' });
  });

  test('answers several requests of one connection by their ids, in whatever order they are ready', async () => {
    const { socket } = await serve(async request => {
      if (request.method === 'score') await new Promise(resolve => setTimeout(resolve, 50));
      return { kind: 'ok', value: request.method };
    });
    const client = talk(socket);
    client.socket.write(
      `{"id":1,"request":{"method":"score","score":1}}\n{"id":"b","request":{"method":"task.list"}}\n`,
    );
    await eventually(() => client.lines.length === 2);
    expect(client.lines).toEqual([
      { id: 'b', reply: { kind: 'ok', value: 'task.list' } },
      { id: 1, reply: { kind: 'ok', value: 'score' } },
    ]);
  });

  test('is found by its address and by no one but its user', async () => {
    const { sessionFolder, socket } = await serve();
    const address = join(sessionFolder, 'control.json');
    expect(JSON.parse(readFileSync(address, 'utf8'))).toEqual({ socket, ...ownIdentity() });
    expect([modeOf(address), modeOf(socket), modeOf(dirname(socket))]).toEqual([0o600, 0o600, 0o700]);
  });

  test('leaves neither socket nor address behind', async () => {
    const { sessionFolder, socket, close } = await serve();
    expect(isServed(sessionFolder)).toBe(true);
    await Promise.all([close(), close()]);
    expect([existsSync(socket), existsSync(join(sessionFolder, 'control.json'))]).toEqual([false, false]);
    expect(await askSession(sessionFolder, list)).toEqual({ kind: 'not-running' });
  });

  test('tells who still waits that it has ended', async () => {
    const { sessionFolder, asked, close } = await serve(untilAborted);
    const reply = askSession(sessionFolder, list);
    await eventually(() => asked.length === 1);
    await close();
    expect(await reply).toEqual({ kind: 'refused', reason: 'the session has ended' });
    expect(asked[0]!.signal.aborted).toBe(true);
  });

  test('ends at once although a client neither reads nor leaves', async () => {
    const { socket, close, asked } = await serve(async () => ({ kind: 'ok', value: 'x'.repeat(2 * 1024 * 1024) }), {
      limits: { graceMs: 50 },
    });
    const client = connect(socket);
    onTestFinished(() => void client.destroy());
    client.write('{"id":1,"request":{"method":"task.list"}}\n');
    await eventually(() => asked.length === 1);
    const startMs = performance.now();
    await close();
    expect(performance.now() - startMs).toBeLessThan(3000);
  });

  test('survives an answer that throws', async () => {
    const { sessionFolder } = await serve(request =>
      request.method === 'task.list' ? Promise.reject(new Error('oops')) : Promise.resolve({ kind: 'ok', value: 1n }),
    );
    expect(await askSession(sessionFolder, list)).toEqual({ kind: 'refused', reason: 'this is a bug: Error: oops' });
    expect(await askSession(sessionFolder, { method: 'score', score: 1 })).toMatchObject({ kind: 'refused' });
  });
});

describe('a client that goes away', () => {
  test.each(['cancelled', 'killed'] as const)('aborts what it has asked for: %s', async how => {
    const { sessionFolder, socket, asked } = await serve(untilAborted);
    if (how === 'cancelled') {
      const controller = new AbortController();
      const reply = askSession(sessionFolder, list, { signal: controller.signal });
      await eventually(() => asked.length === 1);
      controller.abort();
      expect(await reply).toEqual({ kind: 'failed', reason: 'it was cancelled' });
    } else {
      const program = `require('net').connect(${JSON.stringify(socket)}).write('{"id":1,"request":{"method":"task.list"}}\\n')`;
      const child = spawn(process.execPath, ['-e', program]);
      await eventually(() => asked.length === 1);
      expect(asked[0]!.signal.aborted).toBe(false);
      child.kill('SIGKILL');
    }
    await eventually(() => asked[0]!.signal.aborted);
  });

  test('that has waited long enough says so', async () => {
    const { sessionFolder, asked } = await serve(untilAborted);
    const reply = await askSession(sessionFolder, list, { timeoutMs: 200 });
    expect(reply).toEqual({ kind: 'failed', reason: 'the session did not answer within 0.2 s' });
    await eventually(() => asked[0]!.signal.aborted);
  });

  test('that was never there asks nothing', async () => {
    const { sessionFolder, asked } = await serve();
    const reply = await askSession(sessionFolder, list, { signal: AbortSignal.abort() });
    expect(reply).toEqual({ kind: 'failed', reason: 'it was cancelled' });
    expect(asked).toEqual([]);
  });
});

describe('a request that is wrong', () => {
  test.each([
    ['{"method":"run"}', 'unknown method "run"'],
    ['{"method":"toString"}', 'unknown method "toString"'],
    ['{"method":7}', 'unknown method 7'],
    ['{}', 'unknown method nothing'],
    ['[]', 'a request is a JSON object'],
    ['{"method":"task.add"}', 'content is missing'],
    ['{"method":"task.add","content":"  "}', 'content is empty'],
    ['{"method":"task.add","content":7}', 'content is a text, not 7'],
    ['{"method":"task.add","content":"a","colour":"red"}', 'unknown field "colour": known: content'],
    ['{"method":"task.list","all":true}', 'unknown field "all": there are none'],
    ['{"method":"task.done","id":"T1","summary":null}', 'summary is a text, not null'],
    ['{"method":"score","score":"9"}', 'score is a number, not "9"'],
    ['{"method":"score","score":1e999}', 'score is a number, not null'],
    ['{"method":"approval","question":"?","files":["a",1]}', 'files is a list of texts'],
    ['{"method":"finish","decision":"maybe"}', 'decision is one of continue, stop, error, not "maybe"'],
  ])('is refused with the reason: %s', async (request, reason) => {
    const { socket, asked } = await serve();
    const client = talk(socket);
    client.socket.write(`{"id":"x","request":${request}}\n{"id":"y","request":{"method":"task.list"}}\n`);
    await eventually(() => client.lines.length === 2);
    expect(client.lines).toEqual([
      { id: 'x', reply: { kind: 'refused', reason: expect.stringContaining(reason) } },
      { id: 'y', reply: { kind: 'ok', value: list } },
    ]);
    expect(asked.map(({ request }) => request)).toEqual([list]);
  });

  test.each([
    ['no JSON', Buffer.from('GET / HTTP/1.1\r\n')],
    ['no object', Buffer.from('7\n')],
    ['no id', Buffer.from('{"request":{"method":"task.list"}}\n')],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d, 0x0a])],
    ['more than a MiB', Buffer.alloc(1024 * 1024 + 1, 0x20)],
  ])('beyond hope ends the connection: %s', async (_, bytes) => {
    const { sessionFolder, socket, asked } = await serve();
    const client = talk(socket);
    client.socket.write(bytes);
    await eventually(() => client.isOver());
    expect(client.lines).toEqual([{ id: null, reply: { kind: 'refused', reason: expect.any(String) } }]);
    expect(asked).toEqual([]);
    expect(await askSession(sessionFolder, list)).toMatchObject({ kind: 'ok' });
  });

  test('and too long is refused before it is sent', async () => {
    const { sessionFolder, asked } = await serve();
    const reply = await askSession(sessionFolder, { method: 'task.add', content: 'x'.repeat(1024 * 1024) });
    expect(reply).toMatchObject({ kind: 'refused', reason: expect.stringContaining('too long') });
    expect(asked).toEqual([]);
  });
});

describe('a client that does harm', () => {
  test('by asking without end has at most 32 requests in work', async () => {
    const { socket, asked } = await serve(untilAborted);
    const client = talk(socket);
    for (let id = 0; id < 40; id += 1) client.socket.write(`{"id":${id},"request":{"method":"task.list"}}\n`);
    await eventually(() => client.lines.length === 8);
    expect(asked).toHaveLength(32);
    expect(client.lines[0]).toEqual({ id: 32, reply: { kind: 'refused', reason: 'too many requests at a time' } });
  });

  test('by saying nothing is sent away, and one that waits for an answer is not', async () => {
    const { socket, asked } = await serve(untilAborted, { limits: { idleMs: 100 } });
    const [silent, slow, waiting] = [talk(socket), talk(socket), talk(socket)];
    slow.socket.write('{"id":');
    waiting.socket.write('{"id":1,"request":{"method":"task.list"}}\n');
    await eventually(() => silent.isOver() && slow.isOver());
    expect([waiting.isOver(), asked.length]).toEqual([false, 1]);
  });

  test('by not reading its answers is cut off', async () => {
    const { socket } = await serve(async () => ({ kind: 'ok', value: 'x'.repeat(3 * 1024 * 1024) }));
    const client = connect(socket);
    onTestFinished(() => void client.destroy());
    let code: string | undefined;
    client.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code;
    });
    let id = 0;
    await eventually(() => {
      id += 1;
      client.write(`{"id":${id},"request":{"method":"task.list"}}\n`);
      return code !== undefined;
    });
    expect(code).toMatch(/EPIPE|ECONNRESET/);
  });
});
