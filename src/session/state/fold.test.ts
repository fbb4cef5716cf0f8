import { describe, expect, test } from 'vitest';
import type { HookResult } from '../../model/index.ts';
import type { Timed } from './fixtures/project.ts';
import {
  closed,
  event,
  hookFinished,
  hookStarted,
  ranHook,
  resumed,
  started,
  wholeSession,
} from './fixtures/records.ts';
import { atSecond, viewOf } from './fixtures/view.ts';

test('a whole session is told with its stages, hooks and tasks', () => {
  const hook = (name: string) => ({
    id: expect.any(Number),
    hook: `native:hooks.yaml#${name}`,
    name,
    stage: 'build',
    attempt: 1,
    attempts: 1,
  });
  const end = { status: 'finished', durationMs: 120 } as const;
  const passed = {
    ...end,
    outcome: { kind: 'exited', exitCode: 0 },
    verdict: { kind: 'passed' },
    decision: { kind: 'proceed' },
  };
  expect(viewOf(wholeSession)).toEqual({
    session: 'demo',
    status: 'completed',
    pipeline: 'release',
    agent: 'scripted:demo.json',
    startedAt: atSecond(0),
    endedAt: atSecond(32),
    durationMs: 32_000,
    runs: 1,
    iterations: 2,
    tasksTotal: 1,
    tasksDone: 1,
    tasksFailed: 0,
    hookRuns: 4,
    hooksFailed: 1,
    hooksRefused: 1,
    stages: [
      {
        ...{ stage: 'build', status: 'completed', iterations: 2, maxIterations: 3 },
        ...{ endedIterations: 2, failedIterations: 1, durationMs: 31_000, reason: 'max_iterations' },
      },
    ],
    hooks: [
      { ...hook('lint'), ...passed, event: 'iteration.starting', iteration: 1, at: atSecond(1) },
      {
        ...{ ...hook('npm test'), ...end, event: 'task.completing', iteration: 1, at: atSecond(9) },
        outcome: { kind: 'exited', exitCode: 1 },
        verdict: { kind: 'failed', reason: '2 tests fail\nparser.test.ts\n' },
        decision: { kind: 'revise' },
      },
      { ...hook('npm test'), ...passed, event: 'task.completing', iteration: 1, at: atSecond(20) },
      {
        ...{ ...hook('notify'), ...end, event: 'iteration.failed', iteration: 2, at: atSecond(30) },
        outcome: { kind: 'exited', exitCode: 7 },
        verdict: { kind: 'failed', reason: 'no network' },
        decision: { kind: 'proceed' },
      },
    ],
    tasks: [{ id: 'T1', content: 'Write the parser', status: 'done', note: 'with tests' }],
    checkpoints: [],
    approvals: [],
    timeline: expect.any(Array),
    children: [],
  });
});

describe('a session without a last word', () => {
  const cut = wholeSession.slice(0, 5);

  test('is running while someone holds it, and its time goes on', () =>
    expect(viewOf(cut, true, 50)).toMatchObject({
      status: 'running',
      durationMs: 50_000,
      stages: [{ status: 'running', durationMs: 50_000 }],
      hooks: [{ status: 'running' }],
    }));

  test('has crashed where no one holds it, and its time stands still', () => {
    const view = viewOf(cut, false, 50);
    expect(view).toMatchObject({
      status: 'crashed',
      reason: 'its process 4000001 ended without closing it',
      endedAt: atSecond(1),
      durationMs: 1000,
      stages: [{ status: 'crashed', durationMs: 1000 }],
      hooks: [{ status: 'unfinished' }],
    });
    expect(view.hooks[0]).not.toHaveProperty('durationMs');
  });

  test('was cut short at its start where it has no record at all', () =>
    expect(viewOf([])).toMatchObject({ status: 'crashed', reason: 'its start was cut short', runs: 0, stages: [] }));
});

describe('a session that goes on', () => {
  const key = 's0/i1/starting';
  const crash: Timed[] = [
    ...wholeSession.slice(0, 4),
    [2, hookStarted(key, 'lint', 'iteration.starting')],
    [3602, resumed(2)],
    [3603, hookStarted(key, 'lint', 'iteration.starting', 2)],
    [3605, hookFinished(key, 'lint', 'iteration.starting')],
  ];

  test('counts only the time in which someone worked on it', () =>
    expect(viewOf(crash)).toMatchObject({ runs: 2, durationMs: 5000, stages: [{ durationMs: 5000 }] }));

  test('shows the hook that the crash cut off, and that it ran again', () =>
    expect(viewOf(crash).hooks).toMatchObject([
      { status: 'unfinished', attempt: 1 },
      { status: 'finished', attempt: 2, cause: 'crash' },
    ]));

  test('is no longer interrupted, nor is its stage', () => {
    const before: Timed[] = [...wholeSession.slice(0, 4), [5, closed('interrupted', 'by SIGINT')]];
    expect(viewOf(before)).toMatchObject({
      status: 'interrupted',
      reason: 'by SIGINT',
      stages: [{ status: 'interrupted' }],
    });
    const after = viewOf([...before, [50, resumed(2)]], true, 51);
    expect(after).toMatchObject({ status: 'running', stages: [{ status: 'running', durationMs: 6000 }] });
    expect(after).not.toHaveProperty('reason');
    expect(after.stages[0]).not.toHaveProperty('reason');
  });

  test('forgets the end and the failure of an iteration that is begun anew', () => {
    const failed: Timed[] = [
      [0, started()],
      [1, event('iteration.starting', { stage: 'build', iteration: 1 })],
      [2, event('iteration.failed', { stage: 'build', iteration: 1 })],
    ];
    expect(viewOf(failed).stages).toMatchObject([{ iterations: 1, endedIterations: 1, failedIterations: 1 }]);
    const anew: Timed[] = [
      ...failed,
      [3, resumed(2)],
      [4, event('iteration.starting', { stage: 'build', iteration: 1 })],
    ];
    expect(viewOf(anew).stages).toMatchObject([{ iterations: 1, endedIterations: 0, failedIterations: 0 }]);
  });
});

test.each([
  ['completed', 'skipped'],
  ['failed', 'skipped'],
  ['interrupted', 'waiting'],
] as const)('a stage that was not reached in a session that is %s is %s', (status, stage) =>
  expect(
    viewOf([
      [0, started({ plan: 1, build: 2 })],
      [1, closed(status)],
    ]).stages.map(one => one.status),
  ).toEqual([stage, stage]),
);

test('hooks that were skipped or not awaited are told apart', () => {
  const results: HookResult[] = [
    { status: 'skipped', hook: 'id', why: 'when is false' },
    { status: 'detached', hook: 'id' },
  ];
  const records = results.flatMap((result, index) => ranHook(1, `s0/i${index}`, 'x', 'stage.starting', result));
  expect(viewOf([[0, started()], ...records]).hooks).toMatchObject([
    { status: 'skipped', why: 'when is false' },
    { status: 'detached' },
  ]);
});

test('a hook is placed by its key, else where the session is, and hooks of the session nowhere', () => {
  const { hooks } = viewOf([
    [0, started({ plan: 1, build: 2 })],
    [1, event('iteration.starting', { stage: 'plan', iteration: 1 })],
    ...ranHook(1, 's1/i2/x', 'a', 'tool.calling'),
    ...ranHook(1, 'task/T1/completed', 'b', 'task.completed'),
    ...ranHook(1, 'end', 'c', 'session.ended'),
    ...ranHook(1, 's1x', 'd', 'tool.calling'),
  ]);
  expect(hooks.map(({ stage, iteration }) => [stage, iteration])).toEqual([
    ['build', 2],
    ['plan', 1],
    [undefined, undefined],
    ['plan', 1],
  ]);
});

test('tasks of a checklist are known from what was said about them', () =>
  expect(
    viewOf([
      [0, event('task.starting', { taskId: 'c1', content: 'First' })],
      [1, event('task.completed', { taskId: 'c1', content: 'First' })],
      [2, event('task.starting', { taskId: 'c2', content: 'Second' })],
      [3, { kind: 'task.dropped', id: 'c2', reason: 'not needed' }],
    ]).tasks,
  ).toEqual([
    { id: 'c1', content: 'First', status: 'done' },
    { id: 'c2', content: 'Second', status: 'dropped' },
  ]));
