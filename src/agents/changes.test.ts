import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createListening, eventually, isRunning } from '../../test/contracts/agent.ts';
import { createChangeWatch, toldEdits } from './changes.ts';
import { clockStepMs } from './listing.ts';

function project(isRepository: boolean, files: Readonly<Record<string, string>> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-changes-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root, encoding: 'utf8' });
  for (const [path, text] of Object.entries(files)) write(path, text);
  if (isRepository) {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'start', '--allow-empty');
  }
  return { root, write, git };
}

async function begun(root: string) {
  const watch = createChangeWatch(root);
  await watch.begin();
  return watch;
}

describe.each([
  ['in a repository', true],
  ['without a repository', false],
])('%s', (_, isRepository) => {
  const start = { 'kept.txt': 'k', 'changed.txt': 'c', 'removed.txt': 'r', 'src/deep.txt': 'd' };

  test('files that are made, changed and removed are listed, once', async () => {
    const { root, write } = project(isRepository, start);
    const watch = await begun(root);
    write('changed.txt', 'changed now');
    write('new folder/ä "quoted".txt', 'n');
    unlinkSync(join(root, 'removed.txt'));
    expect(await watch.changedSince()).toEqual(['changed.txt', 'new folder/ä "quoted".txt', 'removed.txt']);
    expect(await watch.changedSince()).toEqual([]);
  });

  test('what lies in node_modules, .git and .hookloop is not listed', async () => {
    const { root, write } = project(isRepository, start);
    const watch = await begun(root);
    for (const folder of ['node_modules/a', '.hookloop/sessions', 'src/node_modules']) write(`${folder}/x.txt`, 'x');
    expect(await watch.changedSince()).toEqual([]);
  });

  test('a file whose present state is known is listed only when it changes again', async () => {
    const { root, write } = project(isRepository, start);
    const watch = await begun(root);
    write('kept.txt', 'edited');
    watch.taken(join(root, 'kept.txt'));
    expect(await watch.changedSince()).toEqual([]);
    write('kept.txt', 'edited once more');
    expect(await watch.changedSince()).toEqual(['kept.txt']);
  });

  test('what happened before the watch looked, but after the moment it is told, is listed', async () => {
    const { root, write } = project(isRepository, start);
    const sinceMs = Date.now();
    write('early.txt', 'e');
    const watch = createChangeWatch(root);
    await watch.begin(sinceMs);
    expect(await watch.changedSince()).toContain('early.txt');
  });

  test('what was written right before the watch began is not listed, what is written right after it is', async () => {
    const { root, write } = project(isRepository, start);
    const watch = createChangeWatch(root);
    for (let round = 0; round < 10; round += 1) {
      write('hook.txt', `${round} hook`);
      write('both.txt', `${round} hook`);
      await watch.begin();
      write('both.txt', `${round} work`);
      expect([round, await watch.changedSince()]).toEqual([round, ['both.txt']]);
    }
  });

  test('a change of equal length within one step of the clock is listed', async () => {
    const { root, write } = project(isRepository, start);
    const watch = createChangeWatch(root);
    await watch.begin();
    for (let round = 100; round < 120; round += 1) {
      write('kept.txt', String(round));
      expect([round, await watch.changedSince()]).toEqual([round, ['kept.txt']]);
    }
  });

  test('what was told or there at the last look is not listed although it is younger than the moment', async () => {
    const { root, write } = project(isRepository, start);
    const watch = createChangeWatch(root);
    write('hook.txt', 'h');
    await watch.begin();
    await watch.begin(Date.now() - 60_000);
    expect(await watch.changedSince()).toEqual([]);
  });

  test('another watch goes on from a snapshot, as if it had begun there', async () => {
    const { root, write, git } = project(isRepository, start);
    write('changed.txt', 'dirty');
    const snapshot = await (await begun(root)).snapshot();
    write('kept.txt', 'changed now');
    unlinkSync(join(root, 'removed.txt'));
    if (isRepository) git('commit', '-qam', 'second');
    const watch = createChangeWatch(root);
    await watch.begin(JSON.parse(JSON.stringify(snapshot)));
    expect(await watch.changedSince()).toEqual(['kept.txt', 'removed.txt']);
    expect(await watch.changedSince()).toEqual([]);
  });

  test('a snapshot of many files has only its moment, from which another watch goes on', async () => {
    const { root, write, git } = project(isRepository, start);
    for (let index = 0; index < 201; index += 1) write(`many/${index}.txt`, '');
    await new Promise(resolve => setTimeout(resolve, 2 * clockStepMs));
    const snapshot = await (await begun(root)).snapshot();
    expect(snapshot.files).toBeUndefined();
    write('kept.txt', 'changed now');
    if (isRepository) git('commit', '-qam', 'second');
    write('many/7.txt', 'changed now');
    const watch = createChangeWatch(root);
    await watch.begin(snapshot);
    expect(await watch.changedSince()).toEqual(['kept.txt', 'many/7.txt']);
  });

  test('a file that was already changed before is listed only if it changes again', async () => {
    const { root, write } = project(isRepository, start);
    write('kept.txt', 'dirty');
    write('untracked.txt', 'u');
    const watch = await begun(root);
    write('untracked.txt', 'again');
    expect(await watch.changedSince()).toEqual(['untracked.txt']);
  });
});

test('a file that is changed and committed is listed, one that is only committed is not', async () => {
  const { root, write, git } = project(true, { 'a.txt': 'a' });
  write('old.txt', 'was there before');
  const watch = await begun(root);
  write('a.txt', 'changed');
  git('add', '-A');
  git('commit', '-qm', 'second');
  expect(await watch.changedSince()).toEqual(['a.txt']);
});

test('a change that is taken back is a change', async () => {
  const { root, write, git } = project(true, { 'a.txt': 'a' });
  write('a.txt', 'dirty');
  const watch = await begun(root);
  git('checkout', '-q', '--', 'a.txt');
  expect(await watch.changedSince()).toEqual(['a.txt']);
});

test('in a folder of a larger repository paths are relative to that folder', async () => {
  const { root, write } = project(true, { 'part/a.txt': 'a', 'other/b.txt': 'b' });
  const watch = await begun(join(root, 'part'));
  write('part/a.txt', 'changed');
  write('other/b.txt', 'changed');
  expect(await watch.changedSince()).toEqual(['a.txt']);
});

test('a folder that may not be read costs only what is in it', async () => {
  const { root, write } = project(false, { 'closed/x.txt': 'x' });
  chmodSync(join(root, 'closed'), 0);
  onTestFinished(() => chmodSync(join(root, 'closed'), 0o755));
  const watch = await begun(root);
  write('open.txt', 'o');
  expect(await watch.changedSince()).toEqual(['open.txt']);
});

test('a root that does not exist has no changes', async () =>
  expect(await createChangeWatch('/nowhere/at/all').changedSince()).toEqual([]));

describe('git', () => {
  /** A git that hangs at `status`, with a child of its own, and says who they are. */
  function hangingGit(root: string): { pids(): number[] } {
    const bin = join(root, '.git', 'bin');
    mkdirSync(bin);
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const script = `#!/bin/sh\ncase " $* " in *" status "*) echo $$ >> '${bin}/pids'; sleep 600 & echo $! >> '${bin}/pids'; wait;; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    const path = process.env['PATH'];
    process.env['PATH'] = `${bin}:${path}`;
    onTestFinished(() => {
      process.env['PATH'] = path;
    });
    return {
      pids: () =>
        existsSync(join(bin, 'pids')) ? readFileSync(join(bin, 'pids'), 'utf8').trim().split('\n').map(Number) : [],
    };
  }

  test('that hangs is ended with what it started once no one wants to wait, and nothing was seen', async () => {
    const { root } = project(true, { 'a.txt': 'a' });
    const { pids } = hangingGit(root);
    const stop = new AbortController();
    const watch = createChangeWatch(root, () => stop.signal);
    const begun = watch.begin();
    await eventually(() => pids().length === 2);
    const stoppedMs = performance.now();
    stop.abort();
    await begun;
    expect(performance.now() - stoppedMs).toBeLessThan(2000);
    await eventually(() => !pids().some(isRunning));
    expect(await watch.isBlind()).toBe(true);
  });

  test('runs no program that the settings of the project name', async () => {
    const { root, git, write } = project(true, { 'a.txt': 'a' });
    write('.git/spy.sh', `#!/bin/sh\ntouch '${root}/.git/ran'\n`);
    chmodSync(join(root, '.git/spy.sh'), 0o755);
    git('config', 'core.fsmonitor', join(root, '.git/spy.sh'));
    const watch = await begun(root);
    write('b.txt', 'b');
    expect(await watch.changedSince()).toEqual(['b.txt']);
    expect(existsSync(join(root, '.git/ran'))).toBe(false);
  });
});

test('up to 200 edits are told, and it is said when there are more', () => {
  const { listener, shown } = createListening();
  const files = Array.from({ length: 201 }, (_, n) => `${n}.txt`);
  expect(toldEdits(files.slice(1), listener)).toEqual(files.slice(1));
  expect(shown).toEqual([]);
  expect(toldEdits(files, listener)).toEqual(files.slice(0, 200));
  expect(shown).toEqual([{ kind: 'log', text: '201 files changed; only the first 200 are listed' }]);
});
