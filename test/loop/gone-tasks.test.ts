import { expect, test } from 'vitest';
import { bundleForTests, diary, noticesOf } from './project.ts';

const bundled = await bundleForTests();

const list = '- [ ] easy\n- [ ] hard one\n- [ ] hard two\n';
const gate = {
  '.sauna/hooks.json': JSON.stringify(['case "$HOOK_TASK_CONTENT" in hard*) exit 1;; esac']),
};
/** What the agent makes of the list in its first turn. */
const afterwards = (text: string): Record<string, string> => ({
  ...diary({ 1: `printf '%s' '${text}' > tasks.md` }),
  'tasks.md': list,
  ...gate,
});

test.each([
  ['deleted', '- [x] easy\n'],
  ['put in a comment', '- [x] easy\n<!--\n- [ ] hard one\n- [ ] hard two\n-->\n'],
])('open tasks that are %s while others are worked on are named and do not count as done', (_how, text) => {
  const project = bundled.project(afterwards(text));
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(ran.stderr).toMatch(
    /2 tasks that were open are gone from tasks\.md and do not count as done: c\w+ "hard one", c\w+ "hard two"\n/,
  );
  expect(ran.stderr.split('gone from tasks.md').length).toBe(2);
  expect(ran.stderr).toMatch(
    /\n1 of 1 task, 2 gone from the checklist\n {2}\[x\] easy\n {2}\[\?\] hard one\n {2}\[\?\] hard two\n/,
  );
});

test('--json has them beside the tasks', () => {
  const ran = bundled.project(afterwards('- [x] easy\n')).talk(['--tasks', 'tasks.md', '--json']);
  expect(noticesOf(ran).at(-1)).toMatchObject({
    tasks: [{ content: 'easy', status: 'done' }],
    gone: [{ content: 'hard one' }, { content: 'hard two' }],
  });
});

test('fewer new tasks than are gone do not stand for all of them', () => {
  const project = bundled.project(afterwards('- [x] easy\n- [x] fine\n'));
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.exit, /1 task that was open is gone from tasks\.md .*hard two/.test(ran.stderr)]).toEqual([0, true]);
});

test('tasks that are reworded, dropped, or done and then removed are not gone', () => {
  const drop = '~/hookloop task drop $(~/hookloop task list | grep "hard two" | grep -o "c[0-9a-f]\\{10\\}")';
  const project = bundled.project({
    ...afterwards(''),
    ...diary({
      1: `${drop}; printf '%s' '- [x] easy\n- [ ] soft one\n' > tasks.md`,
      2: "echo '- [x] soft one' > tasks.md",
    }),
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(ran.stderr).not.toContain('gone');
  expect(ran.stderr).toContain('1 of 1 task\n');
});

test('a task that becomes a copy of another is gone, not reworded', () => {
  const project = bundled.project(afterwards('- [x] easy\n- [x] easy\n- [ ] hard two\n'));
  const ran = project.talk(['--tasks', 'tasks.md', '--max-retries', '0']);
  expect(ran.stderr).toMatch(/1 task that was open is gone from tasks\.md .*"hard one"\n/);
  expect(ran.stderr).toMatch(/1 gone from the checklist\n[\s\S]*\[\?\] hard one\n/);
});

test('a task that is reworded is named once with its old text', () => {
  const ran = bundled.project(afterwards('- [x] easy\n- [x] fine\n- [x] good\n')).talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(ran.stderr).toMatch(
    /2 open tasks were reworded in tasks\.md; the new texts count instead: c\w+ "hard one", c\w+ "hard two"\n/,
  );
  expect(ran.stderr.split('reworded').length).toBe(2);
});

test('what a planner marks and takes from the list is gone, not done', () => {
  const mark = '~/hookloop task done $(~/hookloop task list | grep "hard two" | grep -o "c[0-9a-f]\\{10\\}")';
  const project = bundled.project({
    ...afterwards(''),
    ...diary({ 1: `${mark}; printf '%s' '- [x] easy\n' > tasks.md` }),
    'tasks.md': '- [ ] easy\n- [ ] hard two\n',
    'p.yaml':
      'stages: [{ name: plan, prompt: think first }, { name: b, prompt: build it, termination: { type: queue, max: 3 } }]\n',
  });
  const ran = project.talk(['p.yaml', '--tasks', 'tasks.md']);
  expect(ran.stderr).toContain('1 of 1 task, 1 gone from the checklist');
});
