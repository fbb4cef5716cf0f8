import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { bundleProgram, temporaryFolder } from './fixtures/programs.ts';
import { lockFolder } from './lock.ts';
import { processStartTime } from './processes.ts';

const [program, contestant] = await Promise.all([
  bundleProgram(new URL('./fixtures/holder.ts', import.meta.url)),
  bundleProgram(new URL('./fixtures/contestant.ts', import.meta.url)),
]);

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

async function start(folder: string, ...more: string[]): Promise<Start> {
  const child = spawn(process.execPath, [program, folder, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
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
function enlist(): Contestant {
  const child = spawn(process.execPath, [contestant], { stdio: ['pipe', 'pipe', 'inherit'] });
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

test('a lock goes to exactly one of two that ask at once, 50 times, and the other learns who has it', async () => {
  // Whoever is busy has waited half a second: five folders at once.
  await Promise.all(Array.from({ length: 5 }, () => competeTenTimes(temporaryFolder())));

  async function competeTenTimes(folder: string): Promise<void> {
    let two = [enlist(), enlist()];
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(two.map(({ tell }) => tell(folder)));
      const [held, busy] = answers.sort((a, b) => (a.kind < b.kind ? 1 : -1)) as [Answer, Answer];
      expect([held.kind, busy.kind]).toEqual(['held', 'busy']);
      expect(busy).toMatchObject({ pid: held.self, since: expect.stringMatching(/^\d{4}-.*Z$/) });
      const holder = two.find(({ child }) => child.pid === held.self)!;
      if (round % 5 === 0) {
        await end(holder, 'kill');
        two = [...two.filter(each => each !== holder), enlist()];
      } else expect(await holder.tell('')).toEqual({ kind: 'released' });
    }
  }
}, 120_000);

test('it goes to exactly one of six that ask at once after their predecessor was killed', async () => {
  const folder = temporaryFolder();
  const all = Array.from({ length: 6 }, enlist);
  for (let round = 0; round < 5; round += 1) {
    const killed = await start(folder);
    expect(killed.answer.kind).toBe('held');
    await end(killed, 'kill');
    const answers = await Promise.all(all.map(({ tell }) => tell(folder)));
    const held = answers.filter(({ kind }) => kind === 'held');
    expect(held).toHaveLength(1);
    expect(new Set(answers.filter(({ kind }) => kind === 'busy').map(({ pid }) => pid))).toEqual(
      new Set([held[0]!.self]),
    );
    await all.find(({ child }) => child.pid === held[0]!.self)!.tell('');
  }
}, 120_000);

test('it is free at once after kill -9, also while a child of the holder lives on', async () => {
  const folder = temporaryFolder();
  const first = await start(folder, 'child');
  onTestFinished(() => void process.kill(first.answer.child!, 'SIGKILL'));
  expect((await start(folder)).answer).toMatchObject({ kind: 'busy', pid: first.answer.self });
  // No one waits for the end of the killed process.
  first.child.kill('SIGKILL');
  const second = await start(folder);
  expect(second.answer.kind).toBe('held');
  process.kill(first.answer.child!, 0);
  await end(second, 'release');
});

test.each(['lock.1', 'holder.json'])('it is not kept by another process that has the pid %s names', async name => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), JSON.stringify({ pid: process.pid, startTime: '1@never', since: 'then' }));
  expect((await start(folder)).answer.kind).toBe('held');
});

test('of one folder it leaves others free', async () => {
  const started = await Promise.all([temporaryFolder(), temporaryFolder()].map(folder => start(folder)));
  expect(started.map(({ answer }) => answer.kind)).toEqual(['held', 'held']);
});

test('a living holder of 0.1.0, which wrote holder.json, is respected', async () => {
  const folder = temporaryFolder();
  const old = await start(temporaryFolder());
  const identity = { pid: old.answer.self, startTime: processStartTime(old.answer.self), since: 'then' };
  writeFileSync(join(folder, 'holder.json'), JSON.stringify(identity));
  expect(await lockFolder(folder)).toEqual({ kind: 'busy', pid: old.answer.self, since: 'then' });
  await end(old, 'kill');
  expect((await start(folder)).answer.kind).toBe('held');
});

test.runIf(process.platform === 'linux')('a socket that someone has bound keeps no one from a session', async () => {
  const folder = realpathSync(temporaryFolder());
  const hash = createHash('sha256').update(folder).digest('hex');
  const server = createServer().listen(`\0hookloop-session-${hash}`.padEnd(108, '-'));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  expect((await start(folder)).answer.kind).toBe('held');
});

test.each<[string, (path: string, folder: string) => void]>([
  ['a link to a file', path => symlinkSync('/etc/passwd', path)],
  ['a link that leads nowhere', path => symlinkSync('/nowhere/at/all', path)],
  ['a link to itself', path => symlinkSync(path, path)],
  ['a pipe', path => execFileSync('mkfifo', [path])],
  ['a folder', path => mkdirSync(path)],
  ['a large file', path => writeFileSync(path, 'x'.repeat(100_000))],
])('%s in the place of a lock keeps no one out, and is not followed', async (_, make) => {
  for (const name of ['lock.7', 'holder.json']) {
    const folder = temporaryFolder();
    make(join(folder, name), folder);
    expect((await start(folder)).answer.kind).toBe('held');
  }
});

test('a link in the place of holder.json is left alone, and so is what it leads to', async () => {
  const [folder, target] = [temporaryFolder(), join(temporaryFolder(), 'precious')];
  writeFileSync(target, 'mine');
  symlinkSync(target, join(folder, 'holder.json'));
  await end(await start(folder), 'release');
  expect(readFileSync(target, 'utf8')).toBe('mine');
});

test('a number that never ends is told, not counted on', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'lock.99999999999999999999'), '');
  await expect(lockFolder(folder)).rejects.toThrow(/lock\.1?0*9*\d* is not a hookloop lock file; remove it/);
});

test('a session is busy under every name of its folder, for its own process too, until it is released', async () => {
  const folder = temporaryFolder();
  const other = join(temporaryFolder(), 'link');
  symlinkSync(folder, other);
  const lock = await lockFolder(folder);
  if (lock.kind !== 'held') throw new Error(lock.kind);
  expect(await lockFolder(other)).toMatchObject({ kind: 'busy', pid: process.pid });
  await Promise.all([lock.release(), lock.release()]);
  const again = await lockFolder(other);
  expect(again.kind).toBe('held');
  if (again.kind === 'held') await again.release();
});

test('files of earlier holders do not pile up', async () => {
  const folder = temporaryFolder();
  for (let round = 1; round < 40; round += 1) {
    const lock = await lockFolder(folder);
    if (lock.kind !== 'held') throw new Error(lock.kind);
    writeFileSync(join(folder, `lock.${round}`), '{}');
    await lock.release();
    writeFileSync(join(folder, `lock.${round}`), '{}');
  }
  expect(readdirSync(folder).length).toBeLessThan(10);
});

test('who lost it because its file was removed knows, and does not release it for the next', async () => {
  const folder = temporaryFolder();
  const lock = await lockFolder(folder);
  if (lock.kind !== 'held') throw new Error(lock.kind);
  expect(lock.isHeld()).toBe(true);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(lock.isHeld()).toBe(false);
  const next = await start(folder);
  expect(next.answer.kind).toBe('held');
  expect(lock.isHeld()).toBe(false);
  await lock.release();
  expect(await lockFolder(folder)).toMatchObject({ kind: 'busy', pid: next.answer.self });
  await end(next, 'release');
});
