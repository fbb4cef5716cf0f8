import { chmodSync, statSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gate, list, onDone, shown, statusOf, tick } from './checklist.ts';
import { bundleForTests, diary, diaryAgent, eventually, noticesOf } from './project.ts';

const bundled = await bundleForTests();

test('a box that was ticked in a turn that failed is not done: the gate is asked, and the same task is taken again', () => {
  const project = bundled.project({
    ...diary({ 0: 'sed -i "0,/\\[ \\]/s//[x]/" tasks.md; exit 3' }),
    ...list('one', 'two'),
    ...gate('exit 1'),
  });
  const ran = project.talk(['--tasks', 'tasks.md', '--max-failures', '3']);
  expect(ran.exit).toBe(1);
  expect(new Set(project.lines('~/asked'))).toEqual(new Set(['one']));
  expect(project.read('tasks.md')).toBe('- [ ] one\n- [ ] two\n');
  expect(ran.stderr).toContain('0 of 2 tasks');
  expect(project.heard()[1]!.text).toMatch(/When this task was last worked on, its checks refused it:[\s\S]*one/);
  expect(shown(project)).toEqual({ one: 'failed', two: 'open' });
});

test('a gate that refused is not walked past when the fix turn fails', () => {
  const project = bundled.project({
    ...diary({
      0: `${tick('one')}; ${tick('two')}; case "$(cat ~/heard-$turn)" in *"this one:"*) ;; *) exit 3;; esac`,
    }),
    ...list('one', 'two'),
    ...gate('exit 1'),
  });
  const ran = project.talk(['--tasks', 'tasks.md', '--max-failures', '3']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('0 of 2 tasks');
  expect(project.read('tasks.md')).toBe('- [ ] one\n- [ ] two\n');
});

test('every box that was ticked in one turn meets the gates with its own text, before it is announced', () => {
  const project = bundled.project({
    ...diary({ 1: 'sed -i "s/\\[ \\]/[x]/" tasks.md' }),
    ...list('one', 'two', 'three'),
    ...gate('cat ~/completed 2>/dev/null | grep -qx "$HOOK_TASK_CONTENT" && echo late >> ~/late; true'),
    ...onDone,
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/asked')).toEqual(['one', 'two', 'three']);
  expect(project.lines('~/completed')).toEqual(['one', 'two', 'three']);
  expect([project.lines('~/late'), project.heard().length]).toEqual([[], 1]);
});

test("another task's box that its gates refuse is put back, and its iteration hears why", () => {
  const project = bundled.project({
    ...diary({ 1: 'sed -i "s/\\[ \\]/[x]/" tasks.md', 2: `touch good; ${tick('two')}` }),
    ...list('one', 'two'),
    ...gate('case "$HOOK_TASK_CONTENT" in two) echo two is not good; test -e good;; esac'),
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/asked')).toEqual(['one', 'two', 'two']);
  expect(project.heard()[1]!.text).toContain('two is not good');
  expect(project.heard()[1]!.text).toContain('this one:\n\ntwo');
  expect(ran.stderr).toContain('its gates refused it: it is open again');
});

test('a session that fails at a gate puts the box back, and counts the task as failed everywhere', () => {
  const project = bundled.project({ ...diary({ 0: tick('one') }), ...list('one', 'two'), ...gate('exit 1') });
  const ran = project.talk(['--tasks', 'tasks.md', '--max-retries', '0']);
  expect(ran.exit).toBe(1);
  expect(ran.stderr).toContain('0 of 2 tasks, 1 failed\n');
  expect(ran.stderr).toMatch(/\[!\] .*one/);
  expect(project.read('tasks.md')).toBe('- [ ] one\n- [ ] two\n');
  expect(statusOf(project)).toEqual({ one: 'failed', two: 'open' });
  expect(shown(project)).toEqual({ one: 'failed', two: 'open' });
  expect(project.run(['show', 's']).stdout).toContain('[!]');
  expect(project.run(['runs']).stdout).toContain('0 of 2');
});

test('running again on the same file asks the gates of what a crashed session left ticked, and trusts a person', async () => {
  const project = bundled.project({
    ...diary({ 1: `${tick('one')}; touch ~/ticked; sleep 60`, 2: tick('two') }),
    'tasks.md': '- [x] before\n- [ ] one\n- [ ] two\n',
    ...gate('true'),
  });
  const started = project.start(['run', '--agent', diaryAgent, '--session', 'first', '--tasks', 'tasks.md']);
  await eventually(() => project.lines('~/conversations').length === 1 && project.read('tasks.md').includes('[x] one'));
  started.process.kill('SIGKILL');
  await started.ended;
  expect(shown(project, 'first')).toEqual({ before: 'done', one: 'started', two: 'open' });
  const again = project.talk(['--tasks', 'tasks.md']);
  expect([again.stderr, again.exit]).toEqual([again.stderr, 0]);
  expect(again.stderr).toContain('1 ticked box of tasks.md did not pass the gates in the session that left it');
  expect(project.lines('~/asked')).toEqual(['one', 'two']);
  const third = project.run(['run', '--agent', diaryAgent, '--session', 'third', '--tasks', 'tasks.md']);
  expect([third.stderr, third.exit]).toEqual([third.stderr, 0]);
  expect(project.lines('~/asked')).toEqual(['one', 'two']);
});

test('a second run does not walk past a gate that failed in the first, whoever ticks the box again', () => {
  const project = bundled.project({
    ...diary({ 0: tick('one') }),
    ...list('one'),
    ...gate('exit 1', { max_retries: 0 }),
  });
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(1);
  project.write('tasks.md', '- [x] one\n');
  const again = project.run(['run', '--agent', diaryAgent, '--session', 'again', '--tasks', 'tasks.md']);
  expect([again.exit, again.stderr.includes('0 of 1 task')]).toEqual([1, true]);
  expect(project.read('tasks.md')).toBe('- [ ] one\n');
});

test('a task that was marked done and then broken is not done', () => {
  const mark = '~/hookloop task done $(~/hookloop task list --json | grep -o "c[0-9a-f]\\{10\\}")';
  const project = bundled.project({
    ...diary({ 1: `touch good; ${mark}; rm good` }),
    ...list('one'),
    ...gate('test -e good', { max_retries: 0 }),
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.exit, project.lines('~/asked')]).toEqual([1, ['one', 'one']]);
  expect(statusOf(project)).toEqual({ one: 'failed' });
});

test('a box that is unticked again is open again', () => {
  const project = bundled.project({
    ...diary({ 1: tick('one'), 2: `sed -i "s/\\[x\\] one/[ ] one/" tasks.md; ${tick('two')}`, 3: tick('one') }),
    ...list('one', 'two'),
    ...gate('true'),
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/asked')).toEqual(['one', 'two', 'one']);
});

test('passed gates and an open box are told once in the same conversation', () => {
  const project = bundled.project({ ...diary({ 2: tick('one') }), ...list('one'), ...gate('true') });
  const ran = project.talk(['--tasks', 'tasks.md', '--json']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  const heard = project.heard();
  expect(heard.map(({ text }) => text).slice(1)).toEqual([
    'The checks passed. Mark the task done, or say what is left.',
  ]);
  expect(new Set(heard.map(({ conversation }) => conversation)).size).toBe(1);
  expect(project.lines('~/asked')).toEqual(['one', 'one']);
  expect(noticesOf(ran).at(-1)).toMatchObject({ stages: [{ iterations: 1 }], tasks: [{ status: 'done' }] });
});

test('an iteration that leaves its task open says so', () => {
  const project = bundled.project({ ...diary({ 3: tick('one') }), ...list('one'), ...gate('true') });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.exit, project.heard().length]).toEqual([0, 3]);
  expect(ran.stderr).toMatch(/iteration 1 leaves task c\w+ "one" open/);
});

test('with tasks: { done: gates } the loop ticks the box of a task whose gates passed, and no other', () => {
  const project = bundled.project({
    ...diary({ 2: 'touch good' }),
    ...list('one', 'two'),
    ...gate('test -e good'),
    'hookloop.yaml': 'tasks: { done: gates }\n',
  });
  const ran = project.talk(['--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect([project.lines('~/asked'), project.heard().length]).toEqual([['one', 'one', 'two'], 3]);
  expect(project.read('tasks.md')).toBe('- [x] one\n- [x] two\n');
  expect(statusOf(project)).toEqual({ one: 'done', two: 'done' });
  expect(project.heard()[0]!.text).toContain('checks run then, and the task is marked as done where they pass');
  expect(project.heard()[0]!.text).not.toMatch(/task_done|task done|tick its box/);
});

test('with tasks: { done: gates } the agent is told to tick where no gate was for its task', () => {
  const project = bundled.project({
    ...diary({ 2: tick('one') }),
    ...list('one'),
    'hookloop.yaml': `tasks: { done: gates }
hooks: { task.completing: [{ type: shell, block: true, when: "TASK_CONTENT == 'other'", command: 'true' }] }
`,
  });
  expect([project.talk(['--tasks', 'tasks.md']).exit, project.heard().length]).toEqual([0, 2]);
  expect(project.heard()[1]!.text).toContain('No check applies to this task. Mark it done, or say what is left.');
});

test('with tasks: { done: gates } and no gate at all the agent ticks as ever', () => {
  const project = bundled.project({
    ...diary({ 2: tick('one') }),
    ...list('one'),
    'hookloop.yaml': 'tasks: { done: gates }\n',
  });
  expect([project.talk(['--tasks', 'tasks.md']).exit, project.heard().length]).toEqual([0, 2]);
  expect(project.heard()[0]!.text).toContain('tick its box');
});

test('setting a box changes one byte of the file, and follows a link to it', () => {
  const text = '\uFEFF# Töp\r\n- [ ] älter [x]\r\n- [ ] one\r\n';
  const project = bundled.project({
    ...diary(),
    ...gate('true'),
    'hookloop.yaml': 'tasks: { done: gates }\n',
    'lists/real.md': text,
  });
  symlinkSync('lists/real.md', project.pathOf('tasks.md'));
  chmodSync(project.pathOf('lists/real.md'), 0o640);
  expect(project.talk(['--tasks', 'tasks.md']).exit).toBe(0);
  expect(project.read('lists/real.md')).toBe(text.replaceAll('[ ]', '[x]'));
  expect(statSync(project.pathOf('lists/real.md')).mode & 0o777).toBe(0o640);
});
