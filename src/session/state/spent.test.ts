import { expect, test } from 'vitest';
import { started } from './fixtures/records.ts';
import { fold, newState, toSummary } from './state.ts';

/** The summary after these records, each so many seconds after the start. */
function spentAfter(records: readonly (readonly [second: number, record: object])[]) {
  const state = newState();
  const begun = started({ work: 3 });
  if (begun.kind !== 'session.started') throw new Error('not a start');
  for (const [at, [second, record]] of [[0, begun] as const, ...records].entries())
    fold(state, { seq: at + 1, at: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString(), ...record });
  const { time, refusals, files } = toSummary(state, begun.plan, 'completed');
  return { time, refusals, files };
}

const turn = (second: number, to: number, name = 'work/t0') =>
  [
    [second, { kind: 'step.started', key: `s0/i1/${name}`, attempt: 1 }],
    [to, { kind: 'step.done', key: `s0/i1/${name}` }],
  ] as const;
const hook = (kind: 'started' | 'finished', key: string, more: object = {}) => ({
  ...{ kind: `hook.${kind}`, key: `${key}#h`, hook: 'h', name: 'h', event: 'tool.calling', attempt: 1 },
  ...more,
});
const ran = { status: 'finished', verdict: { kind: 'passed' }, decision: { kind: 'proceed' }, durationMs: 1 };
const result = {
  result: { hook: 'h', outcome: { kind: 'exited', exitCode: 0, stdout: '', stderr: '' }, attempts: 1, ...ran },
};
const refused = (key: string, event: string, decision: object = { kind: 'block', reason: 'no', by: 'h' }) => ({
  ...{ kind: 'event.decided', key, event, decision, skipped: [] },
});

test('time is that of the agent, of hooks it waits for, or of people, and never counted twice', () => {
  const [begin, end] = turn(1, 20);
  const asked = { name: 'approval.requested', question: 'Go?', extra: { approval: 'a' } };
  const { time } = spentAfter([
    begin,
    [3, hook('started', 's0/i1/work/t0/e1')],
    [5, hook('finished', 's0/i1/work/t0/e1', result)],
    [6, hook('started', 's0/i1/work/t0/e2', { background: {} })],
    [8, { kind: 'event', key: 's0/i1/asked', event: asked }],
    [15, { kind: 'step.done', key: 's0/i1/asked', value: { action: 'approve', message: '' } }],
    end,
    [30, { kind: 'step.done', key: 'x' }],
  ]);
  expect(time).toEqual({ agentMs: 2000 + 3000 + 5000, hooksMs: 2000, peopleMs: 7000 });
});

test('a pause is the time of no one, but for the hooks in it', () => {
  const limit = { agent: 'claude', limit: 'usage', until: '2026-11-16T11:00:00.000Z', reason: 'later' };
  const [begin, end] = turn(1, 60);
  const { time } = spentAfter([
    begin,
    [4, { kind: 'agent.limited', key: 's0/i1/work/t0', attempt: 1, ...limit }],
    [5, { kind: 'pause.started', key: 's0/i1/work/t0/pause1', ...limit }],
    [6, hook('started', 's0/i1/work/t0/pause1/paused')],
    [8, hook('finished', 's0/i1/work/t0/pause1/paused', result)],
    [50, { kind: 'pause.ended', key: 's0/i1/work/t0/pause1' }],
    [50, { ...begin[1], attempt: 2, cause: 'limit' }],
    end,
  ]);
  expect(time).toEqual({ agentMs: 3000 + 10_000, hooksMs: 2000, peopleMs: 0, pausedMs: 1000 + 42_000 });
});

test('what a crash cut off takes no time of the next process', () => {
  const [begin] = turn(1, 2);
  const run = { number: 2, pid: 1, startTime: '', mark: '' };
  const { time } = spentAfter([
    begin,
    [4, { kind: 'step.done', key: 'x' }],
    [900, { kind: 'session.resumed', run }],
    [950, { kind: 'step.done', key: 'y' }],
  ]);
  expect(time.agentMs).toBe(3000);
});

test('a refusal is fixed when its iteration completes; what is left to a person is none', () => {
  const completed = (iteration: number) => ({
    kind: 'event',
    key: `s0/i${iteration}/completed`,
    event: { name: 'iteration.completed', stage: 'work', iteration },
  });
  const { refusals } = spentAfter([
    [1, refused('s0/i1/gates0', 'task.completing')],
    [2, refused('s0/i1/gates1', 'task.completing')],
    [3, refused('s0/i1/work/t0/e1', 'tool.calling')],
    [3, refused('s0/i1/work/t0/e2', 'tool.calling', { kind: 'block', reason: '', by: 'h', ask: true })],
    [4, completed(1)],
    [5, refused('s0/i2/gates0', 'task.completing')],
  ]);
  expect(refusals).toEqual({ count: 4, fixed: 2 });
});

test('changes of a file are added up', () => {
  const changes = (files: object[]) => ({ kind: 'file.changes', key: 's0/i1/work/t0', files });
  const { files } = spentAfter([
    [1, changes([{ path: 'a.ts', added: 3, removed: 1 }, { path: 'b.ts' }])],
    [2, changes([{ path: 'a.ts', added: 2, removed: 0 }])],
  ]);
  expect(files).toEqual([{ path: 'a.ts', added: 5, removed: 1 }, { path: 'b.ts' }]);
});
