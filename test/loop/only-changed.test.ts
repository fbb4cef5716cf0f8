import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bundleForTests, diary, eventually, type Project } from './project.ts';
import { commitAll } from './worktrees.ts';

const bundled = await bundleForTests();

const tick = 'sed -i "0,/\\[ \\]/s//[x]/" tasks.md';

function tasks(turns: Readonly<Record<number, string>>, entry: object, count: number, inGit: boolean): Project {
  const project = bundled.project({
    'hookloop.yaml': JSON.stringify({
      hooks: {
        'task.completing': [{ name: 'lint', shell: 'echo ran >> ~/ran; test ! -e src/bad', files: 'src/**', ...entry }],
      },
    }),
    'tasks.md': Array.from({ length: count }, (_, at) => `- [ ] task ${at + 1}\n`).join(''),
    'src/a.ts': 'a\n',
    'docs/a.md': 'a\n',
  });
  if (inGit) commitAll(project);
  for (const [path, text] of Object.entries(diary(turns))) project.write(path, text);
  return project;
}

describe.each([
  ['in a repository', true],
  ['outside repositories', false],
])('%s', (_, inGit) => {
  test('files on task.completing are those that changed since the task began, whoever changed them', () => {
    const project = tasks({ 1: `echo b > src/a.ts; ${tick}`, 2: `echo b > docs/a.md; ${tick}` }, {}, 2, inGit);
    const ran = project.talk(['--tasks', 'tasks.md']);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(project.lines('~/ran')).toHaveLength(1);
    const skipped = project.journal('s').flatMap(entry => (entry.kind === 'event.decided' ? entry.skipped : []));
    expect(skipped).toMatchObject([{ why: 'no file that changed since the task began matches src/**' }]);
  });

  test('only_changed leaves out a check whose files are as they were when it last passed, and says so', () => {
    const project = tasks(
      {
        1: `echo b > src/a.ts; ${tick}`,
        2: `echo c > src/a.ts; echo b > src/a.ts; ${tick}`,
        3: `echo c > src/a.ts; ${tick}`,
      },
      { files: ['src/**', 'docs/**'], only_changed: true },
      3,
      inGit,
    );
    // A person's change of another file brings the second task to the check.
    project.write('~/turn-2.sh', `echo b > src/a.ts; rm -f docs/b.md; ${tick}`);
    const ran = project.talk(['--tasks', 'tasks.md']);
    expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
    expect(project.lines('~/ran')).toHaveLength(2);
  });
});

test('what a command adds and takes away again is no change; a check that passed before counts as passed', () => {
  const project = tasks(
    { 1: `echo b > src/a.ts; echo one`, 2: `echo again; ${tick}` },
    { only_changed: true },
    1,
    true,
  );
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/ran')).toHaveLength(1);
  const [decided] = project.journal('s').flatMap(entry => (entry.kind === 'event.decided' ? [entry] : []));
  expect(decided!.skipped).toMatchObject([{ why: 'no file that matches src/** changed since it last passed' }]);
  expect(project.run(['why', 's', String(decided!.seq)]).stdout.replaceAll(/\s+/g, ' ')).toContain(
    'since it last passed',
  );
  expect(project.run(['show', 's']).stdout.replaceAll(/\s+/g, ' ')).toContain(
    'lint skipped: no file that matches src/** changed since it last passed',
  );
});

test('what has passed is known after a crash: a resumed session leaves the check out', async () => {
  const hang = 'touch ~/second; sleep 60';
  const project = tasks({ 1: `echo b > src/a.ts; ${tick}`, 2: hang, 3: `touch ~/ok; ${tick}` }, {}, 1, true);
  const lint = { name: 'lint', shell: 'echo ran >> ~/ran', files: 'src/**', only_changed: true };
  const other = { name: 'other', shell: 'test -e ~/ok' };
  project.write('hookloop.yaml', JSON.stringify({ hooks: { 'task.completing': [lint, other] } }));
  const agent = ['--agent', 'command:sh ~/agent.sh {session}'];
  const started = project.start(['run', ...agent, '--session', 's', '--tasks', 'tasks.md', '--quiet']);
  await eventually(() => existsSync(project.pathOf('~/second')));
  started.process.kill('SIGKILL');
  await started.ended;
  const resumed = project.run(['resume', 's', '--quiet']);
  expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
  expect(project.lines('~/ran')).toHaveLength(1);
  const skipped = project.journal('s').flatMap(entry => (entry.kind === 'event.decided' ? entry.skipped : []));
  expect(skipped[0]).toMatchObject({ passed: true, why: 'no file that matches src/** changed since it last passed' });
});

test('a check that failed since is not left out, though its files are as when it passed', () => {
  const project = tasks(
    { 1: 'echo b > src/a.ts', 2: `touch src/bad; ${tick}`, 3: `rm src/bad` },
    { only_changed: true },
    1,
    true,
  );
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/ran')).toHaveLength(3);
});

test.each([
  ['task.completing', { shell: 'true', only_changed: true }, /only_changed needs files/],
  ['turn.ending', { shell: 'true', only_changed: true, files: 'x' }, /only_changed|files/],
  ['tool.calling', { shell: 'true', only_changed: true, files: 'x' }, /only_changed/],
])('check on %s: %j', (event, entry, words) => {
  const project = bundled.project({ 'hookloop.yaml': JSON.stringify({ hooks: { [event]: [entry] } }) });
  const ran = project.run(['check']);
  expect([ran.exit, ran.stdout + ran.stderr]).toEqual([78, expect.stringMatching(words)]);
});
