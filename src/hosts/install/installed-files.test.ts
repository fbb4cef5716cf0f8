import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/program.ts';
import { isCommittable } from './installed-files.ts';

const folder = temporaryFolder('committable');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env['PATH'], HOME: folder };

function git(root: string, ...args: string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd: root, env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
}

function repository(name: string): string {
  const root = join(folder, name);
  mkdirSync(root);
  git(root, 'init', '--quiet');
  return root;
}

const path = '.claude/settings.local.json';

test('a file of a repository may be committed, also before it is there, and from a folder in it', async () => {
  const root = repository('plain');
  expect(await isCommittable(join(root, path), root, env)).toBe(true);
  mkdirSync(join(root, 'packages/one'), { recursive: true });
  expect(await isCommittable(join(root, 'packages/one', path), join(root, 'packages/one'), env)).toBe(true);
});

test.each(['.gitignore', '.git/info/exclude'])('one that %s has may not', async ignores => {
  const root = repository(ignores.replaceAll('/', '-'));
  mkdirSync(dirname(join(root, ignores)), { recursive: true });
  appendFileSync(join(root, ignores), 'settings.local.json\n');
  expect(await isCommittable(join(root, path), root, env)).toBe(false);
});

test('one that is ignored and in the repository all the same may', async () => {
  const root = repository('tracked');
  mkdirSync(join(root, '.claude'));
  writeFileSync(join(root, path), '{}');
  git(root, 'add', path);
  writeFileSync(join(root, '.gitignore'), '.claude\n');
  expect(await isCommittable(join(root, path), root, env)).toBe(true);
});

test('nothing may where there is no repository, a broken one, or no git', async () => {
  const root = join(folder, 'none');
  mkdirSync(root);
  expect(await isCommittable(join(root, path), root, env)).toBe(false);
  mkdirSync(join(root, '.git'));
  expect(await isCommittable(join(root, path), root, env)).toBe(false);
  const whole = repository('without-git');
  expect(await isCommittable(join(whole, path), whole, { PATH: join(folder, 'nothing') })).toBe(false);
});

test('the repository is that of the folder, whatever the environment names', async () => {
  const [root, other] = [repository('here'), repository('there')];
  writeFileSync(join(other, '.gitignore'), '*\n');
  const misled = { ...env, GIT_DIR: join(other, '.git'), GIT_WORK_TREE: other };
  expect(await isCommittable(join(root, path), root, misled)).toBe(true);
});

test('a program that the repository names is not run', async () => {
  const root = repository('watched');
  const mark = join(root, 'ran');
  writeFileSync(join(root, 'watch.sh'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  git(root, 'add', 'watch.sh');
  git(root, 'config', 'core.fsmonitor', join(root, 'watch.sh'));
  spawnSync('git', ['status'], { cwd: root, env });
  expect(existsSync(mark)).toBe(true);
  rmSync(mark);
  expect(await isCommittable(join(root, path), root, env)).toBe(true);
  expect(existsSync(mark)).toBe(false);
});
