import { expect, test } from 'vitest';
import { bundleForTests, diary, type Project } from './project.ts';

const bundled = await bundleForTests();

const tick = (task: string): string => `sed -i "s/- \\[ \\] ${task}$/- [x] ${task}/" tasks.md`;
const gate = (command: string): Record<string, string> => ({
  '.sauna/hooks.json': JSON.stringify([`echo "$HOOK_TASK_CONTENT" >> ~/asked; ${command}`]),
});
const statuses = (printed: string): Record<string, string> =>
  Object.fromEntries((JSON.parse(printed) as { id: string; status: string }[]).map(({ id, status }) => [id, status]));
const listed = (project: Project, session: string): Record<string, string> =>
  statuses(project.run(['task', 'list', '--session', session, '--json']).stdout);
const shown = (project: Project, session: string): Record<string, string> =>
  statuses(JSON.stringify(JSON.parse(project.run(['show', session, '--json']).stdout).tasks));
/** A run on the same checklist in a session of its own. */
const again = (project: Project, session: string) =>
  project.run(['run', '--tasks', 'tasks.md', '--agent', 'command:true', '--session', session, '--max-retries', '0']);

test('a task that is said to be done while its session is not running is not done', () => {
  const project = bundled.project({ ...diary(), 'tasks.md': '- [ ] one\n', ...gate('exit 1') });
  expect(project.talk(['--tasks', 'tasks.md', '--max-retries', '0']).exit).toBe(1);
  const [id] = Object.keys(listed(project, 's')) as [string];
  expect(project.run(['task', 'done', id, '--session', 's']).exit).toBe(0);
  expect([listed(project, 's'), shown(project, 's')]).toEqual([{ [id]: 'started' }, { [id]: 'started' }]);
  project.write('tasks.md', '- [x] one\n');
  expect(again(project, 'second').exit).toBe(1);
  expect(project.lines('~/asked')).toEqual(['one', 'one', 'one']);
});

test.each([
  ['damaged', (text: string) => text.replace(/.{20}/, 'x')],
  ['emptied', () => ''],
])('the boxes that a session has left whose journal was %s are in doubt', (_, damage) => {
  const project = bundled.project({
    ...diary({ 1: `${tick('one')}; exit 3` }),
    'tasks.md': '- [ ] one\n',
    ...gate('exit 1'),
  });
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(1);
  const journal = '.hookloop/sessions/s/journal.jsonl';
  project.write(journal, damage(project.read(journal)));
  project.write('tasks.md', '- [x] one\n');
  expect(again(project, 'second').exit).toBe(1);
  expect(project.read('tasks.md')).toBe('- [ ] one\n');
});

test('a box that is ticked in answer to the last message is put back: no gate will be asked about it', () => {
  const project = bundled.project({
    ...diary({ 1: tick('one'), 2: tick('two') }),
    'tasks.md': '- [ ] one\n- [ ] two\n',
    ...gate('true'),
    '.iteratr.hooks.yml': 'hooks: { post_iteration: [{ command: "echo well done", pipe_output: true }] }\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md', '--max-iterations', '1']);
  expect([ran.exit, project.heard().length]).toEqual([1, 2]);
  expect(project.read('tasks.md')).toBe('- [x] one\n- [ ] two\n');
});

test('of two tasks with the same text none stays proven when one of them is gone', () => {
  const project = bundled.project({
    ...diary({ 1: "sed -i '1d; s/\\[ \\]/[x]/' tasks.md" }),
    'tasks.md': '- [x] same\n- [ ] other\n- [ ] same\n',
    ...gate('true'),
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/asked').sort()).toEqual(['other', 'same']);
});

test('a hook that cannot refuse ticks no box', () => {
  const project = bundled.project({
    ...diary(),
    'tasks.md': '- [ ] one\n',
    'hookloop.yaml':
      'tasks: { done: gates }\nhooks: { task.completing: [ { type: shell, command: "true", gate: false } ] }\n',
  });
  expect(project.talk(['--tasks', 'tasks.md', '--max-iterations', '1']).exit).toBe(1);
  expect(project.read('tasks.md')).toBe('- [ ] one\n');
});

test('a gate that ends the session has refused the task, which has failed everywhere', () => {
  const project = bundled.project({
    ...diary({ 1: tick('one') }),
    'tasks.md': '- [ ] one\n- [ ] two\n',
    'hookloop.yaml': 'hooks: { task.completing: [ { type: shell, command: exit 1, on_failure: abort } ] }\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.exit, project.read('tasks.md')]).toEqual([1, '- [ ] one\n- [ ] two\n']);
  expect(ran.stderr).toContain('0 of 2 tasks, 1 failed');
  expect(Object.values(listed(project, 's'))).toEqual(['failed', 'open']);
  expect(shown(project, 's')).toEqual(listed(project, 's'));
});
