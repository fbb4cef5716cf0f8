import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { findSurvivors } from '../actions/process/stop.ts';
import { agentProcess, claimsFolder, claimsInMemory } from '../hosts/sessions/claims.ts';
import { bundleProgram, temporaryFolder } from './fixtures/programs.ts';
import { holderOf } from './lock.ts';
import { environmentOf, isSameProcess, processIds, processStartTime, statOf, wordsOf } from './processes.ts';

const holder = await bundleProgram(new URL('./fixtures/holder.ts', import.meta.url));

beforeEach(() => void vi.stubEnv('HOOKLOOP_PORTABLE', '1'));
afterEach(() => void vi.unstubAllEnvs());

async function sleeper(): Promise<{ pid: number; end(): Promise<void> }> {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const end = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { pid: child.pid!, end };
}

test('a process is the same as long as it lives', async () => {
  const { pid, end } = await sleeper();
  const startTime = processStartTime(pid)!;
  expect(startTime).toMatch(/^[A-Z][a-z]{2} .*\d{4}$/);
  expect(isSameProcess({ pid, startTime })).toBe(true);
  expect(isSameProcess({ pid, startTime: 'Thu Jan 1 00:00:00 1970' })).toBe(false);
  await end();
  expect(processStartTime(pid)).toBeUndefined();
});

test('nothing is told of processes that only Linux tells', () => {
  expect(processIds()).toBeUndefined();
  expect(statOf(process.pid)).toBeUndefined();
  expect([...wordsOf(process.pid), ...environmentOf(process.pid)]).toEqual([]);
  expect(agentProcess(process.ppid)).toBe('');
});

test('a folder is locked, and a dead holder is succeeded', async () => {
  const folder = temporaryFolder();
  const hold = async () => {
    const child = spawn(process.execPath, [holder, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(createInterface(child.stdout), 'line');
    return { child, answer: JSON.parse(line) };
  };
  const first = await hold();
  expect(first.answer.kind).toBe('held');
  expect(holderOf(folder)).toMatchObject({ pid: first.child.pid });
  expect((await hold()).answer).toMatchObject({ kind: 'busy', pid: first.child.pid });
  const exited = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await exited;
  expect(holderOf(folder)).toBeUndefined();
  expect((await hold()).answer.kind).toBe('held');
});

test('of a run only its group is found', async () => {
  const { pid, end } = await sleeper();
  expect(findSurvivors({ group: pid, mark: 'none' })).toEqual({ inGroup: 1, escaped: [] });
  await end();
  expect(findSurvivors({ group: pid, mark: 'none' })).toEqual({ inGroup: 0, escaped: [] });
});

test('claims are files of the own folder', () => {
  const folder = temporaryFolder();
  expect(claimsInMemory()).toBeUndefined();
  expect(claimsFolder(folder)).toBe(join(folder, 'claims'));
});
