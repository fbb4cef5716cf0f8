import { afterEach, describe, expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, eventually, type Project, type Started } from './project.ts';
import { asRepository, checkpointsOf } from './repository.ts';

const bundled = await bundleForTests();

const files = (turns: Parameters<typeof diary>[0], hooks = '') => ({
  ...diary(turns),
  'tasks.md': '- [ ] Write the parser\n- [ ] Test it\n',
  'mine.txt': 'mine\n',
  'hookloop.yaml': `commit: task\ntasks: { done: gates }\nhooks:\n  task.completing: [{ type: shell, name: it works, command: "true" }]\n${hooks}`,
});

const begun = (turns: Parameters<typeof diary>[0], hooks?: string) =>
  asRepository(bundled.project(files(turns, hooks)));
type Begun = ReturnType<typeof begun>;

const run = (project: Begun, ...more: string[]) =>
  project.talk(['--tasks', 'tasks.md', ...more], {
    env: {
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_VALUE_0: 'User',
      GIT_CONFIG_KEY_1: 'user.email',
      GIT_CONFIG_VALUE_1: 'u@u',
    },
  });
const subjects = (project: Begun): string[] => project.git('log', '--reverse', '--format=%s').trim().split('\n');
const inCommit = (project: Begun, commit: string): string[] =>
  project.git('show', '--format=', '--name-only', commit).trim().split('\n');

describe('commit: task', () => {
  test('commits each accepted task with its message, its gates in trailers, and leaves what is not its work', () => {
    const project = begun({ 1: 'echo p > parser.txt', 2: 'echo t > test.txt' });
    project.write('staged.txt', 's\n');
    project.git('add', 'staged.txt');
    project.write('mine.txt', 'dirty\n');
    const ran = run(project);
    expect([ran.exit, ran.stderr]).toEqual([0, ran.stderr]);
    expect(subjects(project)).toEqual(['start', 'Write the parser', 'Test it']);
    expect(inCommit(project, 'HEAD~1')).toEqual(['parser.txt', 'tasks.md']);
    expect(inCommit(project, 'HEAD')).toEqual(['tasks.md', 'test.txt']);
    expect(project.git('log', '-1', '--format=%an%n%(trailers)').trim()).toMatch(
      /^User\nHookloop-Session: s\nHookloop-Task: \S+\nHookloop-Gate: it works$/,
    );
    expect(project.git('status', '--porcelain')).toBe(' M mine.txt\nA  staged.txt\n');
    expect(project.git('show', 'HEAD:tasks.md')).toBe('- [x] Write the parser\n- [x] Test it\n');
  });

  test('a refusal of the repository or of a hook goes back to the agent', () => {
    const project = begun({ 1: 'echo bad > parser.txt', 2: 'echo good > parser.txt', 3: 'echo t > test.txt' });
    project.write(
      '.git/hooks/pre-commit',
      '#!/bin/sh\ngrep -q bad parser.txt && echo parser.txt is bad >&2 && exit 1\nexit 0\n',
      0o755,
    );
    const ran = run(project);
    expect([ran.exit, ran.stderr]).toEqual([0, ran.stderr]);
    expect(project.heard()[1]!.text).toContain('The commit of this task was refused:\n\nparser.txt is bad');
    expect(subjects(project)).toEqual(['start', 'Write the parser', 'Test it']);
    expect(project.git('show', 'HEAD~1:parser.txt')).toBe('good\n');

    const gated = begun(
      { 1: 'echo 1 > a', 2: 'echo 2 > ok', 3: 'echo 3 > b' },
      '  commit.creating: [{ type: shell, await: true, command: "test -e ok || { echo write ok first; exit 1; }" }]\n',
    );
    expect(run(gated).exit).toBe(0);
    expect(gated.heard()[1]!.text).toContain('write ok first');
    expect(inCommit(gated, 'HEAD~1')).toEqual(['a', 'ok', 'tasks.md']);
  });

  test('nothing changed is no commit; a merge in progress and a detached HEAD are said', () => {
    const project = begun({});
    project.git('checkout', '-q', '--detach');
    const ran = run(project);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('is not committed: HEAD is on no branch')]);
    expect(subjects(project)).toEqual(['start']);
    const merging = begun({ 1: 'echo p > parser.txt' });
    merging.git('checkout', '-qb', 'other');
    merging.git('commit', '-qm', 'theirs', '--allow-empty');
    merging.git('checkout', '-q', 'main');
    merging.git('merge', '--no-ff', '--no-commit', 'other');
    expect(run(merging).stderr).toContain('is not committed: a merge is in progress');
    expect(subjects(merging)).toEqual(['start']);
  });

  test('while another git holds the index there is no commit; the next one has its work', () => {
    const project = begun({
      1: 'echo p > parser.txt; touch .git/index.lock',
      2: 'echo t > test.txt; rm .git/index.lock',
    });
    const ran = run(project);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringMatching(/is not committed: another git .*index\.lock/)]);
    expect([subjects(project), project.git('status', '--porcelain')]).toEqual([['start', 'Test it'], '']);
    expect(inCommit(project, 'HEAD')).toEqual(['parser.txt', 'tasks.md', 'test.txt']);
  });

  test('an index that is locked while the commit is made learns of it afterwards', () => {
    const project = begun({ 1: 'echo p > parser.txt', 2: 'echo t > test.txt' });
    const lock = 'touch .git/index.lock; (sleep 0.5; rm .git/index.lock) > /dev/null 2>&1 &';
    project.write('.git/hooks/post-commit', `#!/bin/sh\n${lock}\n`, 0o755);
    const ran = run(project);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringContaining('warning')]);
    expect([subjects(project).length, project.git('status', '--porcelain')]).toEqual([3, '']);
  });

  test('on a branch without a commit the first task is its first', () => {
    const project = begun({ 1: 'echo p > parser.txt' });
    project.git('checkout', '-q', '--orphan', 'fresh');
    project.git('rm', '-rq', '--cached', '.');
    expect(run(project).exit).toBe(0);
    expect(subjects(project)[0]).toBe('Write the parser');
    expect(inCommit(project, 'HEAD~1')).toEqual(['parser.txt', 'tasks.md']);
  });

  test('a crash after the commit does not commit twice', () => {
    const project = begun({ 1: 'echo p > parser.txt', 2: 'echo t > test.txt' });
    project.write(
      'hookloop.yaml',
      files({})['hookloop.yaml'].replace('command: "true"', 'command: "echo $PPID > ~/pid"'),
    );
    project.git('commit', '-qam', 'hooks');
    project.write(
      '.git/hooks/post-commit',
      '#!/bin/sh\ntest -e ~/crashed && exit 0\ntouch ~/crashed\nkill -9 $(cat ~/pid)\n',
      0o755,
    );
    expect(run(project).exit).not.toBe(0);
    const resumed = project.run(['resume', 's']);
    expect([resumed.exit, resumed.stderr]).toEqual([0, resumed.stderr]);
    expect(subjects(project).filter(subject => subject === 'Write the parser')).toHaveLength(1);
    expect(subjects(project).at(-1)).toBe('Test it');
    expect(project.git('status', '--porcelain')).toBe('');
  });

  test('a file that was dirty before and that the agent changes is committed whole, and that is said once', () => {
    const project = begun({ 1: 'echo agent >> mine.txt; echo more >> new.txt', 2: 'echo again >> mine.txt' });
    project.write('mine.txt', 'dirty\n');
    project.write('new.txt', 'untracked\n');
    project.write('other.txt', 'untouched\n');
    const ran = run(project);
    expect(ran.exit).toBe(0);
    expect(ran.stderr.match(/what you had changed in these files before the session.*/g)).toEqual([
      expect.stringMatching(/: mine\.txt, new\.txt$/),
    ]);
    expect(project.git('show', 'HEAD~1:mine.txt')).toBe('dirty\nagent\n');
    expect(project.git('status', '--porcelain')).toBe('?? other.txt\n');
  });

  test('undo goes back over commits and leaves the branch', () => {
    const project = begun({ 1: 'echo p > parser.txt', 2: 'echo t > test.txt' });
    expect(run(project).exit).toBe(0);
    const head = project.git('rev-parse', 'HEAD');
    expect(project.run(['undo', '--yes']).exit).toBe(0);
    expect(project.lines('parser.txt')).toEqual([]);
    expect(project.git('rev-parse', 'HEAD')).toBe(head);
  });
});

describe('a branch that changes under the session', () => {
  const switching = () =>
    asRepository(
      bundled.project({
        ...files({ 1: 'echo p > parser.txt; git checkout -q -b other' }),
        'hookloop.yaml': `tasks: { done: gates }
hooks:
  task.completing: [{ type: shell, command: "true" }]
  approval.requested: [{ type: shell, command: 'grep -o "from main to other" >> ~/asked' }]
`,
      }),
    );
  const started: Started[] = [];
  afterEach(() => {
    for (const { process } of started.splice(0)) process.kill('SIGKILL');
  });
  const start = (project: Project, args: string[]): Started => {
    const one = project.start([...args, '--quiet']);
    started.push(one);
    return one;
  };
  const begin = (project: Project): Started =>
    start(project, ['run', '--agent', diaryAgent, '--session', 's', '--tasks', 'tasks.md']);
  const waiting = (project: Project): { id: string; question: string }[] =>
    JSON.parse(project.run(['approvals', '--json']).stdout || '[]');
  const asked = async (project: Project): Promise<string> => {
    await eventually(() => waiting(project).length > 0);
    const [one] = waiting(project);
    expect(one!.question).toContain('The branch has changed from main to other');
    return one!.id;
  };
  const statusOf = (project: Project): unknown => JSON.parse(project.run(['show', 's', '--json']).stdout);

  test('is asked about like everything else, and hooks hear of it; yes goes on there', async () => {
    const project = switching();
    const ran = begin(project);
    expect(project.run(['approve', await asked(project)]).exit).toBe(0);
    expect([(await ran.ended).code, ran.stderr()]).toEqual([0, ran.stderr()]);
    expect(project.lines('~/asked')).toEqual([expect.stringContaining('from main to other')]);
    expect(checkpointsOf(project).at(-1)).toMatchObject({ branch: 'refs/heads/other' });
    expect(project.heard()).toHaveLength(2);
  });

  test('no stops it, and resume goes on there', async () => {
    const project = switching();
    const ran = begin(project);
    expect(project.run(['reject', await asked(project), '--message', 'not there']).exit).toBe(0);
    expect([(await ran.ended).code, ran.stderr()]).toEqual([
      1,
      expect.stringContaining('the branch has changed from main to other, and the answer was no: not there'),
    ]);
    expect(statusOf(project)).toMatchObject({ status: 'stopped', tasksDone: 1 });
    const resumed = project.run(['resume', 's']);
    expect([resumed.exit, resumed.stderr]).toEqual([
      0,
      expect.stringContaining('the session goes on on other; it began on main'),
    ]);
  });

  test('an answer that is given after a crash counts', async () => {
    const project = switching();
    const killed = begin(project);
    const id = await asked(project);
    killed.process.kill('SIGKILL');
    await killed.ended;
    expect(project.run(['reject', id]).exit).toBe(0);
    const resumed = project.run(['resume', 's']);
    expect([resumed.exit, resumed.stderr]).toEqual([1, expect.stringContaining('and the answer was no')]);
    expect(project.run(['resume', 's']).exit).toBe(0);
    expect([project.heard().length, waiting(project)]).toEqual([2, []]);
  });

  test('stops it where no one can be asked, and resume goes on there', () => {
    const project = switching();
    const ran = project.talk(['--tasks', 'tasks.md'], { env: { CI: '1' } });
    expect([ran.exit, ran.stderr]).toEqual([
      1,
      expect.stringContaining('the branch has changed from main to other, and no one is there to ask'),
    ]);
    expect(statusOf(project)).toMatchObject({ status: 'stopped', tasksDone: 1 });
    expect(project.run(['resume', 's']).exit).toBe(0);
  });
});
