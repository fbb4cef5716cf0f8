import { expect, test } from 'vitest';
import { gate, idOf, list, onDone, posting, statusOf, tick } from './checklist.ts';
import { bundleForTests, diary } from './project.ts';

const bundled = await bundleForTests();

test('what a planner ticks waits for the gates of a builder', () => {
  const project = bundled.project({
    ...diary({ 1: 'sed -i "s/\\[ \\]/[x]/" tasks.md', 2: 'touch good; sed -i "s/\\[ \\]/[x]/" tasks.md' }),
    ...list('one'),
    ...gate('test -e good'),
    'p.yaml':
      'stages: [{ name: plan, prompt: think first }, { name: b, prompt: build it, termination: { type: queue, max: 3 } }]\n',
  });
  const ran = project.talk(['p.yaml', '--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect([project.lines('~/asked'), project.heard().length]).toEqual([['one', 'one'], 2]);
});

test.each([
  ['posts', `~/hookloop task post "${idOf('one')}" --status ok`],
  ['marks', `~/hookloop task done "${idOf('one')}"`],
  ['adds and marks', `~/hookloop task add one; ~/hookloop task done T1`],
])('what a planner %s waits for the gates of a builder, and is announced after them', (how, claims) => {
  const project = bundled.project({
    ...diary({ 1: claims, 2: `touch good; ${how === 'adds and marks' ? '~/hookloop task done T1' : tick('one')}` }),
    'tasks.md': how === 'adds and marks' ? '- [x] before\n' : '- [ ] one\n',
    ...gate('test -e good'),
    ...onDone,
    'p.yaml':
      'stages: [{ name: plan, prompt: think first }, { name: b, prompt: build it, termination: { type: queue, max: 3 } }]\n',
  });
  const ran = project.talk(['p.yaml', '--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect(project.lines('~/asked').slice(0, 2)).toEqual(['one', 'one']);
  expect([project.heard().length, project.lines('~/completed')]).toEqual([2, ['one']]);
});

test('without a builder the gates of what a planner claims run at the end', () => {
  const project = bundled.project({
    ...diary({
      1: `~/hookloop task add own; ~/hookloop task done T1; ~/hookloop task post "${idOf('one')}" --status ok`,
    }),
    ...list('one'),
    ...gate('exit 1'),
    ...onDone,
    'p.yaml': 'stages: [{ name: plan, prompt: think first }]\n',
  });
  const ran = project.talk(['p.yaml', '--tasks', 'tasks.md']);
  expect([ran.exit, project.lines('~/asked'), project.lines('~/completed')]).toEqual([1, ['one', 'own'], []]);
  expect(project.read('tasks.md')).toBe('- [ ] one\n');
});

const planQueue = '{ name: plan, prompt: think first, termination: { type: queue, max: 4 } }';

test.each([
  ['ticks', tick('one')],
  ['marks', `~/hookloop task done "${idOf('one')}"`],
])(
  'what a planner %s in a queue is not done by that: its gates run at the end, and resume does it anew',
  (_how, claims) => {
    const project = bundled.project({
      ...diary({ 0: claims, 3: `touch good; ${claims}` }),
      ...list('one', 'two'),
      '~/turn-2.sh': tick('two'),
      ...gate('case "$HOOK_TASK_CONTENT" in one) test -e good;; esac'),
      ...onDone,
      'p.yaml': `stages: [${planQueue}]\nhooks: { on_error: [{ type: shell, await: true, command: 'echo "$ERROR" >> ~/errors' }] }\n`,
    });
    const ran = project.talk(['p.yaml', '--tasks', 'tasks.md']);
    expect([ran.exit, project.heard().length, project.lines('~/asked')]).toEqual([1, 2, ['one', 'two']]);
    expect([statusOf(project), project.lines('~/completed')]).toEqual([{ one: 'failed', two: 'done' }, ['two']]);
    expect(ran.stderr).toMatch(/gates refused a task at the end: c\w+ "one"/);
    expect(project.read('~/errors')).toContain('gates refused a task at the end');
    expect(project.read('tasks.md')).toBe('- [ ] one\n- [x] two\n');
    const resumed = project.run(['resume', 's']);
    expect([resumed.stderr, resumed.exit]).toEqual([resumed.stderr, 0]);
    expect([project.heard().length, project.lines('~/asked')]).toEqual([3, ['one', 'two', 'one']]);
    expect([statusOf(project), project.lines('~/completed')]).toEqual([{ one: 'done', two: 'done' }, ['two', 'one']]);
  },
);

test("what the gates refuse of a planner's queue is left to the builder's", () => {
  const project = bundled.project({
    ...diary({ 1: 'sed -i "s/\\[ \\]/[x]/" tasks.md', 2: `touch good; ${tick('two')}` }),
    ...list('one', 'two'),
    ...gate('case "$HOOK_TASK_CONTENT" in two) test -e good;; esac'),
    'p.yaml': `stages: [${planQueue}, { name: b, prompt: build it, termination: { type: queue, max: 3 } }]\n`,
  });
  const ran = project.talk(['p.yaml', '--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect([project.heard().length, project.lines('~/asked')]).toEqual([2, ['one', 'two', 'two']]);
});

test("a hook that posts a task of a planner's queue has done it as far as the queue goes: the agent is not called", () => {
  const project = bundled.project({
    ...diary(),
    ...list('one'),
    ...gate('true'),
    ...posting('--status ok'),
    'p.yaml': `stages: [${planQueue}]\n`,
  });
  const ran = project.talk(['p.yaml', '--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
  expect([project.heard(), project.lines('~/asked'), statusOf(project)]).toEqual([[], ['one'], { one: 'done' }]);
});

test("a task that is added after a planner's queue was emptied is left, and no gate has refused it", () => {
  const project = bundled.project({
    ...diary({ 1: tick('one'), 2: '~/hookloop task add later' }),
    ...list('one'),
    ...gate('true'),
    'p.yaml': `stages: [${planQueue}, { name: b, prompt: build it, termination: { type: fixed, iterations: 1 } }]\n`,
  });
  const ran = project.talk(['p.yaml', '--tasks', 'tasks.md']);
  expect([ran.stderr, ran.exit]).toEqual([ran.stderr, 0]);
});
