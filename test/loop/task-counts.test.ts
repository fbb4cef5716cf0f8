import { expect, test } from 'vitest';
import type { Task } from '../../src/model/record.ts';
import { gate, list, tick } from './checklist.ts';
import { bundleForTests, diary, noticesOf, type Project } from './project.ts';

const bundled = await bundleForTests();

const countOf = (tasks: readonly Pick<Task, 'status'>[]) => ({
  done: tasks.filter(({ status }) => status === 'done').length,
  failed: tasks.filter(({ status }) => status === 'failed').length,
  total: tasks.length,
});

const json = (project: Project, ...args: readonly string[]) => JSON.parse(project.run([...args, '--json']).stdout);

test.each([
  ['one is refused for good', { 0: tick('one') }, 'test "$HOOK_TASK_CONTENT" != one', { done: 0, failed: 1, total: 3 }],
  [
    'several are ticked in one turn and one of them is refused',
    { 0: 'sed -i "s/\\[ \\]/[x]/" tasks.md' },
    'test "$HOOK_TASK_CONTENT" != two',
    { done: 2, failed: 1, total: 3 },
  ],
  ['all pass', { 0: 'sed -i "0,/\\[ \\]/s//[x]/" tasks.md' }, 'true', { done: 3, failed: 0, total: 3 }],
  ['the agent fails', { 0: `${tick('one')}; exit 3` }, 'true', { done: 0, failed: 0, total: 3 }],
  [
    'one is taken away',
    { 1: `${tick('one')}; sed -i /two/d tasks.md`, 2: tick('three') },
    'true',
    { done: 2, failed: 0, total: 2 },
  ],
] as const)('%s: the tasks are counted the same everywhere', (_how, turns, command, counted) => {
  const project = bundled.project({
    ...diary(turns),
    ...list('one', 'two', 'three'),
    ...gate(command, { max_retries: 0 }),
  });
  const ran = project.talk(['--tasks', 'tasks.md', '--json']);
  const summary = noticesOf(ran).find(notice => notice.type === 'session.summary')!;
  const { tasksDone: done, tasksFailed: failed, tasksTotal: total } = json(project, 'runs')[0];
  expect({ done, failed, total }).toEqual(counted);
  for (const tasks of [
    summary.tasks,
    json(project, 'show', 's').tasks,
    json(project, 'task', 'list', '--session', 's'),
  ])
    expect(countOf(tasks)).toEqual(counted);
  const words = `${done} of ${total}${failed > 0 ? `, ${failed} failed` : ''}`;
  expect(project.run(['runs']).stdout).toContain(` ${words} `);
  const again = bundled.project({
    ...diary(turns),
    ...list('one', 'two', 'three'),
    ...gate(command, { max_retries: 0 }),
  });
  expect(again.talk(['--tasks', 'tasks.md']).stderr).toContain(`\n${words.replace(/of \d/, '$& tasks')}`);
});
