import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleForTests, diary } from './project.ts';
import { asRepository } from './repository.ts';

const bundled = await bundleForTests();

/** Two tasks, each with its file, and an untracked file from before. */
function worked() {
  const project = asRepository(
    bundled.project({
      ...diary({ 1: 'echo a > a.txt', 2: 'echo b > b.txt', 3: 'echo other > b.txt' }),
      'tasks.md': '- [ ] first\n- [ ] second\n',
      'hookloop.yaml': 'tasks: { done: gates }\nhooks:\n  task.completing: [{ type: shell, command: "true" }]\n',
    }),
  );
  project.write('new.txt', 'untracked\n');
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(0);
  return project;
}

const refs = (project: ReturnType<typeof worked>): string[] =>
  project.git('for-each-ref', '--format=%(refname)', 'refs/hookloop').trim().split('\n').filter(Boolean);

describe('fork', () => {
  test('makes a session that goes on from a checkpoint in a worktree, and repeats nothing before it', () => {
    const project = worked();
    const before = project.git('status', '--porcelain');
    const forked = project.run(['fork', 's', '--at', '2', '--prompt', 'Do it otherwise', '--json']);
    expect([forked.exit, forked.stderr]).toEqual([0, forked.stderr]);
    const { session, folder, command } = JSON.parse(forked.stdout);
    expect([session, command]).toEqual(['s-fork-1', `hookloop resume s-fork-1 -C ${folder}`]);
    expect(folder.startsWith(project.home)).toBe(true);
    expect([
      existsSync(join(folder, 'a.txt')),
      existsSync(join(folder, 'b.txt')),
      existsSync(join(folder, 'new.txt')),
    ]).toEqual([true, false, true]);
    const resumed = project.run(['resume', 's-fork-1', '-C', folder]);
    expect([resumed.exit, resumed.stderr]).toEqual([0, resumed.stderr]);
    expect(resumed.stderr, 'a fork is never on the branch of its original').not.toContain('branch');
    expect(project.heard()).toHaveLength(3);
    expect(project.heard()[2]!.text).toContain('Do it otherwise');
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('other\n');
    expect(project.git('status', '--porcelain')).toBe(before);
    expect(project.lines('b.txt')).toEqual(['b']);
    expect(refs(project).filter(ref => ref.includes('fork'))).toEqual(
      [0, 1, 2, 3, 4].map(n => `refs/hookloop/s-fork-1/00${n}`),
    );
    const shown = JSON.parse(project.run(['show', 's-fork-1', '-C', folder, '--json']).stdout);
    expect(shown).toMatchObject({ status: 'completed', tasksDone: 2, iterations: 2 });
  });

  test('with --run starts it, and a second one has the next name', () => {
    const project = worked();
    expect(project.run(['fork', '--at', '0']).stderr).toContain('Start it with: hookloop resume s-fork-1 -C /');
    const ran = project.run(['fork', 's', '--at', '2', '--run']);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining('Session s-fork-2 completed')]);
  });

  test('without a checkpoint, or one that is not there, is wrong usage', () => {
    const project = worked();
    expect(project.run(['fork', 's']).exit).toBe(64);
    expect(project.run(['fork', 's', '--at', '99']).exit).toBe(64);
  });
});

describe('runs --remove', () => {
  test('removes the folder, the refs, and the worktree of a fork', () => {
    const project = worked();
    const { folder } = JSON.parse(project.run(['fork', 's', '--at', '1', '--json']).stdout);
    expect(project.run(['runs', '--remove', 's'])).toMatchObject({
      exit: 0,
      stdout: 'Removed 1 session.\n',
      stderr: 'Forks of s stay: hookloop runs --remove s-fork-1 removes them.\n',
    });
    expect(existsSync(project.pathOf('.hookloop/sessions/s'))).toBe(false);
    expect(refs(project)).toEqual(['refs/hookloop/s-fork-1/000', 'refs/hookloop/s-fork-1/001']);
    expect(project.run(['runs', '--remove', 's-fork-1']).exit).toBe(0);
    expect([existsSync(folder), refs(project), project.git('worktree', 'list').trim().split('\n').length]).toEqual([
      false,
      [],
      1,
    ]);
    expect(project.run(['runs', '--remove', 's']).exit).toBe(64);
  });

  test('by age asks first, and leaves younger ones', () => {
    const project = worked();
    expect(project.run(['runs', '--remove', '--older', '1d'])).toMatchObject({
      exit: 0,
      stdout: 'Removed 0 sessions.\n',
    });
    expect(project.run(['runs', '--remove', '--older', '0s']).exit).toBe(64);
    expect(project.run(['runs', '--remove', '--older', 'x', '--yes']).exit).toBe(64);
    expect(JSON.parse(project.run(['runs', '--remove', '--older', '0s', '--yes', '--json']).stdout)).toEqual({
      removed: ['s'],
      kept: [],
    });
    expect(refs(project)).toEqual([]);
  });
});
