import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleFixture, temporaryFolder } from './fixtures/programs.ts';
import { lockSession } from './lock.ts';
import { lockByFile } from './lock-file.ts';
import { ownIdentity } from './orphans.ts';

const [program, contestant] = await Promise.all([bundleFixture('holder'), bundleFixture('contestant')]);

interface Answer {
  kind: 'held' | 'busy' | 'released';
  pid?: number;
  since?: string;
  self: number;
  child?: number;
}

interface Start {
  child: ChildProcess;
  answer: Answer;
}

async function start(folder: string, how: string, ...more: string[]): Promise<Start> {
  const child = spawn(process.execPath, [program, folder, how, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [text] = await once(createInterface(child.stdout), 'line');
  return { child, answer: JSON.parse(text) };
}

async function end({ child }: Pick<Start, 'child'>, how: 'kill' | 'release'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (how === 'kill') child.kill('SIGKILL');
  else child.stdin!.end();
  await exited;
}

interface Contestant {
  child: ChildProcess;
  tell(line: string): Promise<Answer>;
}

/** A program that is up already, so that two of them take a lock at the very same time. */
function enlist(how: string): Contestant {
  const child = spawn(process.execPath, [contestant, how], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    child,
    async tell(line) {
      child.stdin.write(`${line}\n`);
      return JSON.parse((await lines.next()).value);
    },
  };
}

/** The lock of this platform is tried longer. */
const kinds: [string, number][] =
  process.platform === 'linux'
    ? [
        ['socket', 50],
        ['file', 15],
      ]
    : [['file', 50]];

describe.each(kinds)('a lock by %s', (how, rounds) => {
  test(`goes to exactly one of two that ask at once, ${rounds} times, and the other learns who has it`, async () => {
    const folder = realpathSync(temporaryFolder());
    let two = [enlist(how), enlist(how)];
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all(two.map(({ tell }) => tell(folder)));
      const [held, busy] = answers.sort((a, b) => (a.kind < b.kind ? 1 : -1)) as [Answer, Answer];
      expect([held.kind, busy.kind]).toEqual(['held', 'busy']);
      expect(busy).toMatchObject({ pid: held.self, since: expect.stringMatching(/^\d{4}-.*Z$/) });
      const holder = two.find(({ child }) => child.pid === held.self)!;
      if (round % 5 === 0) {
        await end(holder, 'kill');
        two = [...two.filter(each => each !== holder), enlist(how)];
      } else expect(await holder.tell('')).toEqual({ kind: 'released' });
    }
  }, 60_000);

  test('is free at once after kill -9, also while a child of the holder lives on', async () => {
    const folder = temporaryFolder();
    const first = await start(folder, how, 'child');
    onTestFinished(() => void process.kill(first.answer.child!, 'SIGKILL'));
    expect((await start(folder, how)).answer).toMatchObject({ kind: 'busy', pid: first.answer.self });
    await end(first, 'kill');
    const second = await start(folder, how);
    expect(second.answer.kind).toBe('held');
    process.kill(first.answer.child!, 0);
    await end(second, 'release');
  });

  test('is not kept by another process that has the pid of a dead holder', async () => {
    const folder = temporaryFolder();
    const holder = JSON.stringify({ pid: process.pid, startTime: '1@never', since: 'then' });
    writeFileSync(join(folder, how === 'socket' ? 'holder.json' : 'lock.1'), holder);
    expect((await start(folder, how)).answer.kind).toBe('held');
  });

  test('of one folder leaves others free', async () => {
    const started = await Promise.all([temporaryFolder(), temporaryFolder()].map(folder => start(folder, how)));
    expect(started.map(({ answer }) => answer.kind)).toEqual(['held', 'held']);
  });
});

test('a session is busy under every name of its folder, for its own process too, until it is released', async () => {
  const folder = temporaryFolder();
  const other = join(temporaryFolder(), 'link');
  symlinkSync(folder, other);
  const lock = await lockSession(folder);
  if (lock.kind !== 'held') throw new Error(lock.kind);
  expect(await lockSession(other)).toMatchObject({ kind: 'busy', pid: process.pid });
  await Promise.all([lock.release(), lock.release()]);
  const again = await lockSession(other);
  expect(again.kind).toBe('held');
  if (again.kind === 'held') await again.release();
});

test.runIf(process.platform === 'linux')('a living holder with other sockets is respected', async () => {
  const folder = temporaryFolder();
  const stranger = await start(temporaryFolder(), 'socket');
  const { pid } = stranger.child as { pid: number };
  const { startTime } = ownIdentity();
  const identity = { pid, startTime: `${statField(pid, 22)}@${startTime.split('@')[1]}`, since: 'then' };
  writeFileSync(join(folder, 'holder.json'), JSON.stringify(identity));
  expect(await lockSession(folder)).toEqual({ kind: 'busy', pid, since: 'then' });
  await end(stranger, 'kill');
  const lock = await lockSession(folder);
  expect(lock.kind).toBe('held');
  if (lock.kind === 'held') await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('files of earlier holders do not pile up', async () => {
  const folder = temporaryFolder();
  for (let round = 0; round < 40; round += 1) {
    const lock = await lockByFile(folder);
    if (lock.kind !== 'held') throw new Error(lock.kind);
    await lock.release();
  }
  expect(readdirSync(folder).length).toBeLessThan(10);
});

/** For a program whose name has no spaces. */
const statField = (pid: number, field: number): string =>
  readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ')[field - 1]!;
