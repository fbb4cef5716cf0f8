import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bundleForTests, diary, diaryAgent, eventually } from './project.ts';
import { asRepository, checkpointsOf } from './repository.ts';

const bundled = await bundleForTests();

/** A session in a repository with a dirty file, that changed one file, made one and removed one. */
function worked() {
  const project = asRepository(
    bundled.project({
      ...diary({ 1: 'echo new > made.txt; echo more >> kept.txt; rm gone.txt; echo x > ignored.txt' }),
      'kept.txt': 'kept\n',
      'gone.txt': 'gone\n',
      '.gitignore': 'ignored.txt\n',
    }),
  );
  project.write('dirty.txt', 'mine\n');
  expect(project.talk(['--prompt', 'work']).exit).toBe(0);
  return project;
}

describe('diff', () => {
  test('shows what the session changed, and not what was there before', () => {
    const project = worked();
    const { exit, stdout, stderr } = project.run(['diff']);
    expect([exit, stderr]).toEqual([0, '000 (before the session) to 001 (iteration 1 of work): 3 files, +2 -1\n']);
    expect(stdout).toContain('+more\n');
    expect(stdout).not.toContain('dirty');
    expect(project.run(['diff', 's', '0'])).toMatchObject({ exit: 0, stdout: '' });
    const json = JSON.parse(project.run(['diff', 's', '1', '--json']).stdout);
    expect(json).toMatchObject({
      ...{ session: 's', from: { n: 0 }, to: { n: 1 }, diff: stdout },
      files: [
        { path: 'gone.txt', status: 'removed', added: 0, removed: 1 },
        { path: 'kept.txt', status: 'changed', added: 1, removed: 0 },
        { path: 'made.txt', status: 'added', added: 1, removed: 0 },
      ],
    });
  });

  test('leaves what others changed after the session out, and shows what it printed to git apply', () => {
    const project = worked();
    project.write('later.txt', 'l');
    const { stdout } = project.run(['diff', 's']);
    expect(stdout).not.toContain('later');
    project.write('~/patch', stdout);
    project.git('apply', '-R', '--check', `${project.home}/patch`);
  });

  test('of a checkpoint that is not there is wrong usage; outside a repository it says why', () => {
    const project = worked();
    expect(project.run(['diff', 's', '7'])).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('they go from 0 to 1'),
    });
    expect(project.run(['diff', 's', 'x']).exit).toBe(64);
    const outside = bundled.project(diary());
    outside.talk(['--prompt', 'work']);
    for (const args of [['diff'], ['undo', '--yes']])
      expect(outside.run(args)).toMatchObject({
        exit: 1,
        stderr: expect.stringContaining('is not in a git repository'),
      });
  });
});

describe('undo', () => {
  test('puts the files back, keeps the present, and can be undone', () => {
    const project = worked();
    project.write('later.txt', 'after the session\n');
    const status = project.git('status', '--porcelain');
    const undone = project.run(['undo', 's', '--yes']);
    expect(undone).toMatchObject({ exit: 0, stdout: 'Session s: 4 files put back to checkpoint 000.\n' });
    expect(undone.stderr).toContain('  remove    later.txt\n  remove    made.txt\n');
    expect(undone.stderr).toContain('To take it back: hookloop undo s --to 2\n');
    expect(project.git('status', '--porcelain')).toBe('?? dirty.txt\n');
    expect(project.lines('kept.txt')).toEqual(['kept']);
    expect(project.lines('ignored.txt')).toEqual(['x']);
    expect(checkpointsOf(project).at(-1)).toMatchObject({ n: 2, what: 'before undo to 000', beforeUndo: true });
    expect(project.run(['undo', 's', '--to', '2', '--yes']).exit).toBe(0);
    expect(project.git('status', '--porcelain')).toBe(status);
    expect(project.lines('later.txt')).toEqual(['after the session']);
    expect(project.run(['diff', 's']).stderr).toContain('to 001');
    expect(JSON.parse(project.run(['show', 's', '--json']).stdout)).toMatchObject({ status: 'completed' });
  });

  test('that changes nothing keeps nothing', () => {
    const project = worked();
    expect(project.run(['undo', '--to', '1', '--yes'])).toMatchObject({
      exit: 0,
      stdout: 'The files are as they were at checkpoint 001.\n',
    });
    expect(checkpointsOf(project)).toHaveLength(2);
    const json = JSON.parse(project.run(['undo', '--yes', '--json']).stdout);
    expect(json).toMatchObject({ session: 's', status: 'undone', to: 0, kept: 2, left: [] });
    expect(json.files).toContainEqual({ path: 'made.txt', status: 'removed' });
  });

  test('needs a person or --yes', () => {
    const project = worked();
    expect(project.run(['undo'])).toMatchObject({ exit: 64, stderr: expect.stringContaining('--yes') });
    expect(project.lines('made.txt')).toEqual(['new']);
  });

  test('of a running session is refused', async () => {
    const project = asRepository(bundled.project(diary({ 1: 'echo a > a.txt; sleep 600' })));
    const started = project.start(['run', '--agent', diaryAgent, '--session', 's', '--prompt', 'x']);
    await eventually(() => project.lines('a.txt').length === 1);
    const { exit, stderr } = project.run(['undo', 's', '--yes']);
    expect([exit, stderr]).toEqual([75, expect.stringContaining('session s is running')]);
    started.process.kill('SIGINT');
    await started.ended;
    expect(project.run(['undo', 's', '--yes']).exit).toBe(0);
    expect(project.lines('a.txt')).toEqual([]);
    const resumed = project.run(['show', 's', '--json']);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ status: 'interrupted' });
  });

  test('in a sparse checkout puts back and takes away what lies outside of it as well, and leaves what is not there', () => {
    const project = asRepository(
      bundled.project({
        ...diary({ 1: 'echo more >> out/new.txt; echo more >> out/known.txt; mkdir far; echo x > far/made.txt' }),
        ...{ 'in/a.txt': 'a\n', 'out/known.txt': 'known\n', 'out/absent.txt': 'absent\n' },
      }),
    );
    project.git('sparse-checkout', 'set', '--no-cone', '/in', '/agent.sh');
    project.write('out/known.txt', 'changed\n');
    project.write('out/new.txt', 'new\n');
    const before = project.git('status', '--porcelain=v2', '--untracked-files=all');
    const ran = project.talk(['--prompt', 'work']);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.not.stringContaining('cannot read')]);
    expect(project.run(['undo', 's', '--yes']).exit).toBe(0);
    expect(project.git('status', '--porcelain=v2', '--untracked-files=all')).toBe(before);
    expect([project.read('out/known.txt'), project.read('out/new.txt')]).toEqual(['changed\n', 'new\n']);
    expect(existsSync(project.pathOf('out/absent.txt'))).toBe(false);
  });

  test('leaves the branch, the index and the stash alone', () => {
    const project = worked();
    project.git('add', 'dirty.txt', 'kept.txt');
    const index = readFileSync(`${project.project}/.git/index`);
    const head = project.git('rev-parse', 'HEAD');
    project.run(['undo', '--yes']);
    expect(readFileSync(`${project.project}/.git/index`).equals(index)).toBe(true);
    expect([project.git('rev-parse', 'HEAD'), project.git('stash', 'list')]).toEqual([head, '']);
  });
});
