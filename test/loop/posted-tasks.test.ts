import { expect, test } from 'vitest';
import { gate, list, posting, statusOf, tick } from './checklist.ts';
import { bundleForTests, diary } from './project.ts';

const bundled = await bundleForTests();

test('a hook that does a task itself posts it: the gates run, the loop ticks, and the agent is not called', () => {
  const project = bundled.project({
    ...diary(),
    ...list('one', 'two'),
    ...gate('true'),
    '~/made.json': '{ "made": 7 }',
    ...posting('--status ok --value-file ~/made.json'),
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect([project.lines('~/asked'), project.heard()]).toEqual([['one', 'two'], []]);
  expect(project.read('tasks.md')).toBe('- [x] one\n- [x] two\n');
  expect(project.read('~/value')).toContain('"value":{"made":7}');
});

test.each([
  ['iteration.starting', ['iteration.starting']],
  ['task.starting', ['iteration.starting', 'task.starting']],
] as const)('a task that a hook of %s has posted does not start any further', (event, told) => {
  const note = (name: string) => `${name}: [{ type: shell, command: 'echo ${name} >> ~/told' }`;
  const post = `{ type: shell, command: '~/hookloop task post "$TASK_ID" --status ok' }`;
  const events = ['iteration.starting', 'task.starting', 'prompt.submitting', 'task.completed', 'iteration.completed'];
  const project = bundled.project({
    ...diary(),
    ...list('one'),
    'hookloop.yaml': `hooks:\n${events.map(name => `  ${note(name)}${name === event ? `, ${post}` : ''}]\n`).join('')}`,
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/told')).toEqual([...told, 'task.completed', 'iteration.completed']);
  expect([project.heard(), statusOf(project)]).toEqual([[], { one: 'done' }]);
});

test('a posted task that its gates refuse is left to the agent, and one that cannot be done has failed', () => {
  const refused = bundled.project({
    ...diary({ 1: `touch good; ${tick('one')}` }),
    ...list('one'),
    ...gate('echo not good; test -e good'),
    ...posting('--status ok'),
  });
  expect(refused.talk(['--tasks', 'tasks.md']).exit).toBe(0);
  expect(refused.lines('~/posted').join('\n')).toMatch(/not good[\s\S]*\n2$/);
  expect(refused.heard()).toHaveLength(1);
  const failed = bundled.project({ ...diary(), ...list('one'), ...posting('--status error --error "no way"') });
  const ran = failed.talk(['--tasks', 'tasks.md']);
  expect([ran.exit, failed.heard(), statusOf(failed)]).toEqual([1, [], { one: 'failed' }]);
  expect(ran.stderr).toMatch(/task c\w+ failed: no way/);
  const patient = bundled.project({ ...diary(), ...list('one'), ...posting('--status error --error "no way"') });
  expect(patient.talk(['--tasks', 'tasks.md', '--max-failures', '3']).stderr.replaceAll(/\s+/g, ' ')).toContain(
    '1 task failed: "one" (no way)',
  );
});

test('task post says what is wrong with its arguments, and that it needs a running session', () => {
  const project = bundled.project({ ...diary({ 1: 'exit 3' }), ...list('one') });
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(1);
  const post = (...args: string[]) => project.run(['task', 'post', '--session', 's', ...args]);
  expect(post('c1')).toMatchObject({ exit: 64, stderr: expect.stringContaining('--status ok or --status error') });
  expect(post('c1', '--status', 'ok', '--value', '{').exit).toBe(65);
  expect(post('c1', '--status', 'ok', '--error', 'x').exit).toBe(64);
  expect(post('c1', '--status', 'ok')).toMatchObject({ exit: 1, stderr: expect.stringContaining('is not running') });
});
