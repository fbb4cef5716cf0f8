import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, temporaryFolder } from './fixtures/programs.ts';
import { isSameProcess, ownIdentity, processStartTime } from './processes.ts';

test('a process is the same as long as it lives', async () => {
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const identity = { pid: child.pid!, startTime: processStartTime(child.pid!)! };
  expect(isSameProcess(identity)).toBe(true);
  expect(isSameProcess({ ...identity, startTime: '1@elsewhen' })).toBe(false);
  expect(isSameProcess({ ...identity, pid: process.pid })).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(processStartTime(identity.pid)).toBeUndefined();
  expect(isSameProcess(identity)).toBe(false);
});

test('this process knows itself', () => {
  expect(ownIdentity()).toEqual({ pid: process.pid, startTime: processStartTime(process.pid) });
  expect(isSameProcess(ownIdentity())).toBe(true);
});

test.runIf(process.platform === 'linux')('a program may have spaces and parentheses in its name', async () => {
  const program = join(temporaryFolder(), 'a) S 1 (b c');
  copyFileSync('/bin/sleep', program);
  const child = spawn(program, ['60']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  await eventually(() => readFileSync(`/proc/${child.pid}/stat`, 'latin1').includes('(a) S 1 (b c)'));
  const [ticks] = processStartTime(child.pid!)!.split('@');
  const [ownTicks] = ownIdentity().startTime.split('@');
  expect(Number(ticks)).toBeGreaterThan(Number(ownTicks));
  expect(Number(ticks)).toBeLessThan(Number(ownTicks) + 100 * 3600);
});

test.runIf(process.platform === 'linux')('a zombie has ended', async () => {
  const script = 'cat <&3 & echo $!; exec sleep 60 3<&-';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [text] = await once(parent.stdout!, 'data');
  const pid = Number(text);
  // A shell would collect its child; the program that follows it does not.
  await eventually(() => readFileSync(`/proc/${parent.pid}/comm`, 'latin1') === 'sleep\n');
  (parent.stdio[3] as Writable).end();
  await eventually(() => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')));
  expect(processStartTime(pid)).toBeUndefined();
});
