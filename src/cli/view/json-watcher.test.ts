import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { notice, story, summary } from './fixtures/notices.ts';
import { buildDriver, listen, untilSo } from './fixtures/terminal.ts';

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookloop-watch-json-'));
  program = await buildDriver(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('each notice is one line on stdout and nothing else is', async () => {
  const { child, send } = await play('pipe');
  const texts = [collect(child.stdout!), collect(child.stderr!)];
  for (const one of story) send('notice', one);
  send('remark', { level: 'warning', text: 'hunter2 is \x1b[2J' });
  send('notice', notice(99, { type: 'session.summary', ...summary }));
  send('leave');
  await ended(child);
  const [stdout, stderr] = texts.map(text => text());
  const lines = stdout!
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(lines).toEqual([...story, notice(99, { type: 'session.summary', ...summary })]);
  expect(stderr).toBe('hookloop: warning: *** is \ufffd[2J\n');
});

test('a reader that does not read holds nothing up, and gets all of it later', async () => {
  const { child, send, told } = await play('pipe');
  const text = 'x'.repeat(10_000);
  for (let at = 0; at < 200; at += 1) send('notice', notice(at, { type: 'agent.message', text }));
  send('ping');
  await untilSo(
    () => told.length,
    count => count === 1,
  );
  const stdout = collect(child.stdout!);
  send('leave');
  await ended(child);
  expect(stdout().trimEnd().split('\n')).toHaveLength(200);
});

test('a reader that has gone away does no harm', async () => {
  const { child, send, told } = await play('pipe');
  child.stdout!.destroy();
  const stderr = collect(child.stderr!);
  for (const one of story) send('notice', one);
  send('ping');
  await untilSo(
    () => told.length,
    count => count === 1,
  );
  for (const one of story) send('notice', one);
  send('leave');
  expect(await ended(child)).toBe(0);
  expect(stderr()).toBe('');
});

test('a full disk is told of once', async () => {
  const { child, send, told } = await play(openSync('/dev/full', 'w'));
  const stderr = collect(child.stderr!);
  for (const one of story) send('notice', one);
  send('ping');
  await untilSo(
    () => told.length,
    count => count === 1,
  );
  await untilSo(stderr, text => text !== '');
  for (const one of story) send('notice', one);
  send('leave');
  expect(await ended(child)).toBe(0);
  expect(stderr()).toBe('hookloop: warning: events can no longer be written to stdout: ENOSPC\n');
});

async function play(stdout: 'pipe' | number) {
  const socket = join(mkdtempSync(join(folder, 'play-')), 'told');
  const { driver, close } = listen(socket);
  const child = spawn(process.execPath, [program, socket, 'json'], { stdio: ['ignore', stdout, 'pipe'] });
  const connected = await driver;
  child.once('close', close);
  return { child, send: connected.send, told: connected.told };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

const ended = (child: ChildProcess): Promise<number | null> => new Promise(resolve => child.once('close', resolve));
