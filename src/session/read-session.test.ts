import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SessionRecord } from '../model/record.ts';
import type { SessionView } from '../model/view.ts';
import { lockFolder } from '../platform/lock.ts';
import { createFileStore } from './file-store/file-store.ts';
import { readJournal } from './file-store/fixtures/read-journal.ts';
import { createSessionFolder } from './file-store/folder.ts';
import { encodeLine } from './file-store/journal-lines.ts';
import { openJournal } from './file-store/writer.ts';
import { childFiles, childNamed, locateSession, type SessionFiles, sessionFiles } from './paths.ts';
import { readSession } from './read-session.ts';
import { journalOf, temporaryProject, writeInto, writeSession } from './state/fixtures/project.ts';
import { closed, event, hookFinished, hookStarted, started, wholeSession } from './state/fixtures/records.ts';

const storeOf = (root: string) => createFileStore({ root, state: undefined, cache: undefined });

function view({ folder }: SessionFiles, options?: { maxBytes: number }): Promise<SessionView> {
  const { root, name } = locateSession(folder)!;
  return readSession(storeOf(root), name, options);
}

const unclosed = wholeSession.slice(0, -1);

async function hold(paths: SessionFiles): Promise<() => Promise<void>> {
  const lock = await lockFolder(paths.folder);
  if (lock.kind !== 'held') throw new Error('busy');
  onTestFinished(lock.release);
  return lock.release;
}

describe('a session whose journal does not say that it ended', () => {
  test('is running exactly as long as its lock is held', async () => {
    const paths = await writeSession(temporaryProject(), 'demo', unclosed);
    expect((await view(paths)).status).toBe('crashed');
    const release = await hold(paths);
    expect((await view(paths)).status).toBe('running');
    await release();
    expect((await view(paths)).status).toBe('crashed');
  });

  test('is not running for a lock that a dead process has left', async () => {
    const paths = await writeSession(temporaryProject(), 'demo', unclosed);
    writeFileSync(
      join(paths.folder, 'holder.json'),
      JSON.stringify({ pid: process.pid, startTime: 'before', since: '' }),
    );
    expect((await view(paths)).status).toBe('crashed');
  });

  test('has crashed where the name of its holder makes no sense', async () => {
    const paths = await writeSession(temporaryProject(), 'demo', unclosed);
    for (const text of ['', 'null', '{"pid":"1"}', 'x'.repeat(10_000)]) {
      writeFileSync(join(paths.folder, 'holder.json'), text);
      expect((await view(paths)).status).toBe('crashed');
    }
    rmSync(join(paths.folder, 'holder.json'));
    execFileSync('mkfifo', [join(paths.folder, 'holder.json')]);
    expect((await view(paths)).status).toBe('crashed');
  });
});

test('a session that says that it ended has ended, whoever still holds it', async () => {
  const paths = await writeSession(temporaryProject(), 'demo', wholeSession);
  await hold(paths);
  expect((await view(paths)).status).toBe('completed');
});

test('looking at a session does not keep anyone from taking it', async () => {
  const paths = await writeSession(temporaryProject(), 'demo', unclosed);
  for (let round = 0; round < 20; round += 1) {
    const locking = lockFolder(paths.folder);
    for (let look = 0; look < 5; look += 1) {
      await view(paths);
      await new Promise(setImmediate);
    }
    const lock = await locking;
    expect(lock.kind).toBe('held');
    if (lock.kind === 'held') await lock.release();
  }
});

test('the holder of a session is found', async () => {
  const { folder } = await writeSession(temporaryProject(), 'demo', unclosed);
  const lock = await lockFolder(folder);
  if (lock.kind === 'held') onTestFinished(lock.release);
  expect((await storeOf(locateSession(folder)!.root).holder('demo'))?.pid).toBe(process.pid);
});

test('a journal that is too large for who asks is left unread, and the view says so', async () => {
  const paths = await writeSession(temporaryProject(), 'demo', []);
  writeFileSync(journalOf(paths), Buffer.alloc(3 * 1024 * 1024));
  const { reason } = await view(paths, { maxBytes: 1024 * 1024 });
  expect(reason).toBe('its journal is too large to be read here (3 MiB): hookloop show demo');
});

describe('a folder that is only half a session', () => {
  test('has crashed while it started, or is starting', async () => {
    const paths = sessionFiles(temporaryProject(), 'demo');
    createSessionFolder(paths);
    expect(await view(paths)).toMatchObject({ status: 'crashed', reason: 'its start was cut short', runs: 0 });
    await hold(paths);
    expect((await view(paths)).status).toBe('running');
  });

  test('may have an empty journal', async () => {
    const paths = await writeSession(temporaryProject(), 'demo', []);
    expect(readFileSync(journalOf(paths), 'utf8')).toBe('');
    expect(await view(paths)).toMatchObject({ status: 'crashed', reason: 'its start was cut short' });
  });
});

describe('a journal', () => {
  test('with a torn end is told up to there', async () => {
    const paths = await writeSession(temporaryProject(), 'demo', wholeSession);
    truncateSync(journalOf(paths), readFileSync(journalOf(paths)).length - 10);
    expect(await view(paths)).toMatchObject({ status: 'crashed', iterations: 2 });
  });

  test('with damage is told up to there, with the place', async () => {
    const paths = await writeSession(temporaryProject(), 'demo', wholeSession);
    const lines = readFileSync(journalOf(paths), 'utf8').split('\n');
    lines[6] = lines[6]!.replace('Write', 'Wrote');
    writeFileSync(journalOf(paths), lines.join('\n'));
    expect(await view(paths)).toMatchObject({
      status: 'damaged',
      reason: 'journal.jsonl:7: the checksum does not match',
      iterations: 1,
    });
  });

  test('that is a folder, a pipe or a link to nowhere is damaged, and no one waits for it', async () => {
    const paths = sessionFiles(temporaryProject(), 'demo');
    createSessionFolder(paths);
    mkdirSync(journalOf(paths));
    expect(await view(paths)).toMatchObject({
      status: 'damaged',
      reason: 'journal.jsonl cannot be read: it is not a file',
    });
    rmSync(journalOf(paths), { recursive: true });
    execFileSync('mkfifo', [journalOf(paths)]);
    expect((await view(paths)).status).toBe('damaged');
    rmSync(journalOf(paths));
    symlinkSync('/nowhere', journalOf(paths));
    expect((await view(paths)).status).toBe('damaged');
  });

  test('that is being written is never damaged, and what is read only grows', async () => {
    const paths = await writeSession(temporaryProject(), 'demo', [[0, started()]]);
    await hold(paths);
    const opened = openJournal<SessionRecord>(journalOf(paths));
    if (opened.kind !== 'open') throw new Error(opened.kind);
    const work = (async () => {
      for (let round = 1; round <= 60; round += 1) {
        void opened.journal.append(hookStarted(`s0/i${round}`, 'x'.repeat(3000), 'iteration.starting'));
        await opened.journal.append(hookFinished(`s0/i${round}`, 'x'.repeat(3000), 'iteration.starting'));
      }
      await opened.journal.append(closed('completed'));
    })();
    let [isDone, seen] = [false, 0];
    void work.then(() => {
      isDone = true;
    });
    while (!isDone) {
      const { status, hookRuns } = await view(paths);
      expect(['running', 'completed']).toContain(status);
      expect(hookRuns).toBeGreaterThanOrEqual(seen);
      seen = hookRuns;
      await new Promise(setImmediate);
    }
    expect(await view(paths)).toMatchObject({ status: 'completed', hookRuns: 60 });
    await opened.journal.close();
  });
});

describe('children', () => {
  test('stand below their parents, five deep at most, and are named by the way to them', async () => {
    let paths = await writeSession(temporaryProject(), 'demo', wholeSession);
    for (let depth = 1; depth <= 7; depth += 1) {
      paths = childFiles(paths, 'on_stage_complete', depth);
      await writeInto(paths, wholeSession);
    }
    const names: string[] = [];
    let children = (await view(sessionFiles(paths.inside.trusted, 'demo'))).children;
    for (; children[0]; children = children[0].children) names.push(children[0].session);
    expect(names).toHaveLength(5);
    expect(names[1]).toBe('demo/on_stage_complete-1/on_stage_complete-2');
  });

  test('come in the order of their numbers; what is no child is left aside', async () => {
    const parent = await writeSession(temporaryProject(), 'demo', wholeSession);
    for (const iteration of [10, 9]) await writeInto(childFiles(parent, 'x', iteration), wholeSession);
    await writeInto(childFiles(parent, 'x', 9, 2), unclosed);
    symlinkSync('/', join(parent.children, 'link-1'));
    for (const name of ['no-number', '-1', '..-1', 'x-01']) mkdirSync(join(parent.children, name));
    writeFileSync(join(parent.children, 'file-1'), '');
    const children = await storeOf(parent.inside.trusted).children('demo');
    expect(children.map(({ name }) => name)).toEqual(['demo/x-9', 'demo/x-9-2', 'demo/x-10']);
    expect(childNamed(parent, 'x-9-2')).toEqual(childFiles(parent, 'x', 9, 2));
    expect(childNamed(parent, '../x-1')).toBeUndefined();
  });

  test('that are damaged leave their parent whole', async () => {
    const parent = await writeSession(temporaryProject(), 'demo', wholeSession);
    const child = await writeInto(childFiles(parent, 'x', 1), wholeSession);
    appendFileSync(journalOf(child), 'rubbish\n');
    expect(await view(parent)).toMatchObject({ status: 'completed', children: [{ status: 'damaged' }] });
  });
});

test('a journal of 100,000 records is told in little more time than it takes to read it', async () => {
  const paths = sessionFiles(temporaryProject(), 'big');
  createSessionFolder(paths);
  const records = Array.from({ length: 25_000 }, (_, at) => [
    [at, event('iteration.starting', { stage: 'build', iteration: at + 1 })] as const,
    [at, hookStarted(`s0/i${at + 1}`, 'npm test', 'iteration.starting')] as const,
    [at, hookFinished(`s0/i${at + 1}`, 'npm test', 'iteration.starting')] as const,
    [at, event('iteration.completed', { stage: 'build', iteration: at + 1 })] as const,
  ]).flat();
  const all = [[0, started()] as const, ...records];
  const lines = all.map(([, record], at) => encodeLine({ seq: at + 1, at: new Date(at).toISOString(), ...record }));
  writeFileSync(journalOf(paths), Buffer.concat(lines));
  const measure = async <T>(work: () => T | Promise<T>): Promise<[T, number]> => {
    const fromMs = performance.now();
    return [await work(), performance.now() - fromMs];
  };
  const [, readMs] = await measure(() => readJournal(journalOf(paths)));
  const [told, toldMs] = await measure(() => view(paths));
  console.info(`100,000 records: read in ${readMs.toFixed(0)} ms, told in ${toldMs.toFixed(0)} ms`);
  expect(told).toMatchObject({ iterations: 25_000, hookRuns: 25_000 });
  expect(toldMs).toBeLessThan(10 * readMs + 2000);
});
