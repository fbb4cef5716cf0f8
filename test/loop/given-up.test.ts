import { expect, test } from 'vitest';
import { gate, list, tick } from './checklist.ts';
import { bundleForTests, diary, eventually, type Project } from './project.ts';

const bundled = await bundleForTests();

const next = { 'hookloop.yaml': 'tasks: { on_failure: next }\n' };

/** Ticks the task that the prompt is about. */
const tickOwn = 'own=$(grep -A2 "^Do this" ~/heard-$turn | tail -1); sed -i "s/- \\[ \\] $own/- [x] $own/" tasks.md';

const tasksIn = (project: Project): [string, string][] =>
  (JSON.parse(project.run(['show', 's', '--json']).stdout).tasks as { content: string; status: string }[]).map(
    ({ content, status }) => [content, status],
  );

/** Which tasks the agent was sent to work on, prompt by prompt. */
const workedOn = (project: Project): string[] =>
  project.heard().flatMap(({ text }) => /^Do this task.*\n\n(\w+)\n/m.exec(text)?.[1] ?? []);

test('with on_failure: next a task whose gates stay red fails alone: the next goes on, and the session ends with 1', () => {
  const project = bundled.project({
    ...diary({ 0: tickOwn }),
    ...list('one', 'two', 'three'),
    ...gate('test "$HOOK_TASK_CONTENT" != one', { max_retries: 1 }),
    ...next,
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([expect.stringContaining('1 task failed'), 1]);
  expect(tasksIn(project)).toEqual([
    ['one', 'failed'],
    ['two', 'done'],
    ['three', 'done'],
  ]);
  expect(project.read('tasks.md')).toContain('- [ ] one');
  expect(JSON.parse(project.run(['runs', '--json']).stdout)).toMatchObject([
    { status: 'failed', tasksDone: 2, tasksFailed: 1, tasksTotal: 3 },
  ]);
});

test('resume tries a failed task again, once, and the session completes when it passes then', () => {
  const project = bundled.project({
    ...diary({ 0: tickOwn }),
    ...list('one', 'two'),
    ...gate('test "$HOOK_TASK_CONTENT" != one || test -e ~/ready', { max_retries: 0 }),
    ...next,
  });
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(1);
  expect(project.run(['resume', 's']).exit).toBe(1);
  expect(workedOn(project)).toEqual(['one', 'two', 'one']);
  project.write('~/ready', '');
  const ended = project.run(['resume', 's']);
  expect([ended.stderr, ended.exit]).toEqual([ended.stderr, 0]);
  expect(tasksIn(project)).toEqual([
    ['one', 'done'],
    ['two', 'done'],
  ]);
});

test('a session that was cut off does not try a task again that it had given up before', async () => {
  const project = bundled.project({
    ...diary({ 1: tick('one'), 2: 'touch ~/busy; sleep 60', 3: tick('two') }),
    ...list('one', 'two'),
    ...gate('test "$HOOK_TASK_CONTENT" != one', { max_retries: 0 }),
    ...next,
  });
  const started = project.start([
    'run',
    '--agent',
    'command:sh ~/agent.sh {session}',
    '--session',
    's',
    '--tasks',
    'tasks.md',
  ]);
  await eventually(() => project.lines('~/conversations').length === 2);
  started.process.kill('SIGKILL');
  await started.ended;
  const resumed = project.run(['resume', 's']);
  expect([resumed.stderr, resumed.exit]).toEqual([expect.stringContaining('1 task failed'), 1]);
  expect(workedOn(project)).toEqual(['one', 'two', 'two']);
});

test('without it the first such task ends the session, as ever', () => {
  const project = bundled.project({
    ...diary({ 0: tickOwn }),
    ...list('one', 'two'),
    ...gate('test "$HOOK_TASK_CONTENT" != one', { max_retries: 0 }),
  });
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(1);
  expect(workedOn(project)).toEqual(['one']);
});
