import { describe, expect, test } from 'vitest';
import { bundleForTests, diary, eventually } from './project.ts';
import { asRepository, checkpointsOf as made } from './repository.ts';

const bundled = await bundleForTests();

const { project: create } = bundled;
const repository = (files: Readonly<Record<string, string>>) => asRepository(create(files));

const writes = (name: string, text: string): string =>
  `{ name: Write, input: { file_path: ${name}, content: ${text} } }`;

const twoTasks = {
  'tasks.md': '- [ ] first\n- [ ] second\n',
  'hookloop.yaml': 'tasks: { done: gates }\nhooks:\n  task.completing: [{ type: shell, command: "test -e good" }]\n',
  'script.yaml': `
turns:
  - { text: one, tools: [${writes('a.txt', 'a')}, ${writes('good', 'g')}] }
  - { text: two, tools: [${writes('b.txt', 'b')}] }
`,
};

describe('a session in a repository', () => {
  test('keeps the files before it, after each accepted task and each iteration, and leaves the user alone', () => {
    const project = repository(twoTasks);
    project.write('dirty.txt', 'mine');
    project.git('add', 'dirty.txt');
    const before = project.git('ls-files', '--stage');
    const ran = project.session(['--tasks', 'tasks.md']);
    expect([ran.exit, ran.stderr.includes('no checkpoint')]).toEqual([0, false]);
    expect(project.git('ls-files', '--stage')).toBe(before);
    expect([project.git('stash', 'list'), project.git('branch', '--show-current')]).toEqual(['', 'main\n']);
    expect(made(project).map(({ n, what }) => [n, what])).toEqual([
      [0, 'before the session'],
      [1, 'task done: first'],
      [2, 'iteration 1 of work'],
      [3, 'task done: second'],
      [4, 'iteration 2 of work'],
    ]);
    const refs = project.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/hookloop').trim().split('\n');
    expect(refs).toEqual(made(project).map(({ n, oid }) => `refs/hookloop/s/00${n} ${oid}`));
    const files = (n: number): string[] =>
      project.git('ls-tree', '-r', '--name-only', `refs/hookloop/s/00${n}`).trim().split('\n');
    expect(files(0)).toEqual(['dirty.txt', 'hookloop.yaml', 'script.yaml', 'tasks.md']);
    expect(files(4)).toEqual(['a.txt', 'b.txt', 'dirty.txt', 'good', 'hookloop.yaml', 'script.yaml', 'tasks.md']);
    expect(project.git('log', '--format=%an <%ae> %s', 'refs/hookloop/s/003').split('\n')[0]).toMatch(
      /^Hookloop <hookloop@localhost> Checkpoint 3 of s: task done: second$/,
    );
    // Where nothing changed since, a checkpoint is the commit of the one before.
    expect(made(project).map(({ oid }) => made(project).findIndex(each => each.oid === oid))).toEqual([0, 1, 1, 3, 3]);
    expect(project.git('rev-list', '--count', 'refs/hookloop/s/004').trim()).toBe('3');
    const shown = JSON.parse(project.run(['show', 's', '--json']).stdout);
    expect(shown.checkpoints).toHaveLength(5);
    expect(shown.checkpoints[1]).toMatchObject({
      n: 1,
      ref: 'refs/hookloop/s/001',
      branch: 'refs/heads/main',
      at: expect.any(String),
    });
  });

  test('that was interrupted keeps what it leaves', async () => {
    const project = repository(diary({ 1: 'echo half > half.txt; touch ~/there; sleep 600' }));
    const started = project.start([
      'run',
      '--agent',
      'command:sh ~/agent.sh {session}',
      '--session',
      's',
      '--prompt',
      'x',
    ]);
    await eventually(
      () => project.lines('~/there').length === 0 && project.git('status', '--porcelain').includes('half'),
    );
    started.process.kill('SIGINT');
    await started.ended;
    expect(made(project).map(({ what }) => what)).toEqual(['before the session', 'at its end (interrupted)']);
    expect(project.git('show', 'refs/hookloop/s/001:half.txt')).toBe('half\n');
  });

  test('numbers go on when it is resumed, and a ref that a crash has lost is there again', async () => {
    const project = repository(twoTasks);
    project.write(
      'hookloop.yaml',
      'tasks: { done: gates }\nhooks:\n  task.completing: [{ type: shell, command: "test -e good" }]\n  iteration.completed: [{ type: shell, await: true, command: "test -e ~/go || kill -9 $PPID" }]\n',
    );
    const ran = project.session(['--tasks', 'tasks.md']);
    expect(ran.exit).not.toBe(0);
    const before = made(project);
    expect(before.map(({ n }) => n)).toEqual([0, 1]);
    project.git('update-ref', '-d', before[1]!.ref);
    project.write('~/go', '');
    const resumed = project.run(['resume', 's']);
    expect([resumed.exit, resumed.stderr]).toEqual([0, resumed.stderr]);
    expect(
      made(project).map(({ n, oid }) => [n, project.git('rev-parse', `refs/hookloop/s/00${n}`).trim() === oid]),
    ).toEqual([0, 1, 2, 3, 4].map(n => [n, true]));
  });
});

test('outside a repository nothing is kept and nothing is said', () => {
  const project = bundled.project(twoTasks);
  const ran = project.session(['--tasks', 'tasks.md']);
  expect([ran.exit, made(project), /checkpoint|git/.test(ran.stderr)]).toEqual([0, [], false]);
  expect(JSON.parse(project.run(['show', 's', '--json']).stdout).checkpoints).toEqual([]);
});

test('a git that hangs delays a stop by less than two seconds, and the checkpoint it cost is named', async () => {
  const project = repository(diary({ 1: 'touch ~/there; sleep 600' }));
  project.write(
    '~/bin/git',
    '#!/bin/sh\ncase "$*" in *" add "*) test -e ~/hang && exec sleep 600;; esac\nexec /usr/bin/git "$@"\n',
    0o755,
  );
  const env = { PATH: `${project.home}/bin:${process.env['PATH']}` };
  const started = project.start(
    ['run', '--agent', 'command:sh ~/agent.sh {session}', '--session', 's', '--prompt', 'x'],
    env,
  );
  await eventually(() => made(project).length === 1 && project.git('status').length > 0);
  project.write('~/hang', '');
  await eventually(() => project.lines('~/turns').length === 1);
  const from = Date.now();
  started.process.kill('SIGINT');
  await started.ended;
  expect(Date.now() - from).toBeLessThan(4000);
  expect(started.stderr()).toContain('no checkpoint of the files (at its end (interrupted)): git add was stopped');
});

test('two worktrees of one repository may each have a session of the same name', () => {
  const project = repository({ 'script.yaml': 'repeat: true\nturns: [{ text: done }]\n' });
  project.session(['--prompt', 'x']);
  project.git('worktree', 'add', '-q', `${project.home}/other`);
  const args = ['run', '--agent', 'scripted:script.yaml', '--session', 's', '--prompt', 'x'];
  expect(project.run(args, { cwd: `${project.home}/other` }).exit).toBe(0);
  const groups = project.git('for-each-ref', '--format=%(refname)', 'refs/hookloop').trim().split('\n');
  expect(groups).toEqual([
    'refs/hookloop/s-2/000',
    'refs/hookloop/s-2/001',
    'refs/hookloop/s/000',
    'refs/hookloop/s/001',
  ]);
});
