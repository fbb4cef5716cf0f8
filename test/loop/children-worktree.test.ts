import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parent, waiting } from './children.ts';
import { bundleForTests, eventually, type Project } from './project.ts';

const bundled = await bundleForTests();

/** A repository with one commit. */
const repository = (files: Readonly<Record<string, string>>): Project => {
  const project = bundled.project({ ...files, '.gitignore': '.hookloop\n' });
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, {
      cwd: project.project,
      env: { PATH: process.env['PATH'], HOME: project.home, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual([stderr, 0]);
    return stdout;
  };
  project.write('~/.gitconfig', '[user]\n  name = t\n  email = t@example.invalid\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'all');
  return project;
};

test.each([
  ['cat README > ~/saw; pwd > ~/where', false],
  ['echo changed > README', true],
  ['echo new > new.txt', true],
  ['echo new > new.txt; git add -A; git commit -q -m new', true],
  ['echo new > new.txt; git checkout -q -b kept; git add -A; git commit -q -m new', false],
])(
  'a child in a worktree of its own that does "%s" leaves the project alone; its worktree is kept: %s',
  (does, kept) => {
    const project = repository({
      ...parent('pipeline: apart, isolate: worktree'),
      'pipelines/apart.yaml': `agent: ${JSON.stringify(`command:${does}; echo done`)}\nprompt: go on\n`,
      README: 'as committed\n',
    });
    const ran = project.session(['--prompt', 'work']);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(project.lines('~/seen')).toEqual(['success: done']);
    const folder = project.pathOf('.hookloop/sessions/s/children/iteration.completed-1/worktree');
    expect(existsSync(folder)).toBe(kept);
    expect(ran.stderr.includes(`its worktree ${folder} is kept`)).toBe(kept);
    expect(project.read('README')).toBe('as committed\n');
    expect(existsSync(project.pathOf('new.txt'))).toBe(false);
    if (existsSync(project.pathOf('~/where'))) expect(project.lines('~/where')).toEqual([folder]);
  },
);

test('after kill -9 a child goes on in its worktree', async () => {
  const project = repository({
    ...parent('pipeline: waiting, isolate: worktree'),
    'pipelines/waiting.yaml': waiting
      .replace('command:', 'command:pwd >> ~/where; ')
      .replace('echo done', 'cat README; echo done'),
    README: 'as committed\n',
  });
  const started = project.start(['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'work']);
  await eventually(() => project.lines('~/waiting').length === 1);
  started.process.kill('SIGKILL');
  await started.ended;
  const folder = project.pathOf('.hookloop/sessions/s/children/iteration.completed-1/worktree');
  expect(existsSync(folder)).toBe(true);
  project.write('~/go', '');
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/where')).toEqual([folder, folder, folder]);
  expect(project.read('~/seen')).toBe('success: as committed\ndone 2\n');
  expect(existsSync(folder)).toBe(false);
});
