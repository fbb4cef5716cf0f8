import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type StartOptions, startProcess } from './start.ts';

async function start(script: string, more: Partial<StartOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'output');
  const fd = openSync(path, 'a+');
  onTestFinished(() => closeSync(fd));
  const env = { PATH: process.env['PATH'], GREETING: 'grüß "dich"', ABSENT: undefined };
  const options = { file: 'sh', args: ['-c', script], cwd: folder, env, stdio: ['ignore', fd, fd] as const };
  const running = await startProcess({ ...options, ...more });
  return { folder, running, end: await running.ended, printed: () => readFileSync(path, 'utf8') };
}

test('a program without pipes gets its arguments, its folder and its environment', async () => {
  const { end, printed, folder } = await start('', {
    args: ['-c', 'printf "%s|" "$@"; pwd; printf %s "$GREETING${ABSENT-none}"', 'sh', 'a b', '$(x)', ''],
  });
  expect(end).toEqual({ kind: 'exited', exitCode: 0 });
  expect(printed()).toBe(`a b|$(x)||${folder}\ngrüß "dich"none`);
});

test('a program without pipes leads a process group of its own', async () => {
  const { running, printed } = await start('ps -o pgid= -p $$');
  expect(Number(printed())).toBe(running.pid);
});

test.each([
  ['exit 3', { kind: 'exited', exitCode: 3 }],
  ['exit 255', { kind: 'exited', exitCode: 255 }],
  ['kill -KILL $$', { kind: 'killed', signal: 'SIGKILL' }],
  ['kill -TERM $$', { kind: 'killed', signal: 'SIGTERM' }],
])('a program without pipes that runs `%s` ends so', async (script, expected) => {
  expect((await start(script)).end).toEqual(expected);
});

test('reading from no stdin finds the end at once', async () => {
  const { end, printed } = await start('cat; echo done');
  expect([end, printed()]).toEqual([{ kind: 'exited', exitCode: 0 }, 'done\n']);
});

test.each<[what: string, more: Partial<StartOptions>, code: string]>([
  ['a file that is not there', { file: '/no/such/program' }, 'ENOENT'],
  ['a name that is not in PATH', { file: 'no-such-program' }, 'ENOENT'],
  ['a folder', { file: '/tmp' }, 'EACCES'],
  ['a working folder that is not there', { cwd: '/no/such/folder' }, 'ENOENT'],
])('%s in place of a program fails with the code of Node', async (_, more, code) => {
  const { end } = await start('echo never', more);
  expect(end).toMatchObject({ kind: 'failed', error: { code } });
});

test.each<[what: string, more: Partial<StartOptions>]>([
  ['an argument', { args: ['-c', 'echo one\0two'] }],
  ['the environment', { env: { PATH: process.env['PATH'], A: 'one\0two' } }],
])('NUL in %s is refused, not cut off', async (_, more) => {
  await expect(start('', more)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
});
