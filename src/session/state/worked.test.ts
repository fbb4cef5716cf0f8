import { expect, test } from 'vitest';
import { started } from './fixtures/records.ts';
import { fold, newState, toSummary } from './state.ts';

const stage = { id: 'work', index: 0, termination: { type: 'fixed', iterations: 1 } };
const plan = { name: 'p', stages: [stage], hooks: [] } as never;
const event = (name: string) => ({ kind: 'event', event: { name, stage: 'work', iteration: 1 } });

test('a clock that is set back a day takes no time away, and the time between two processes is no work', () => {
  const state = newState();
  const records: readonly (readonly [string, object])[] = [
    ['16T10:00:00.000', { ...started(), plan }],
    ['16T10:00:01.000', event('stage.starting')],
    ['16T10:00:04.000', event('iteration.starting')],
    ['15T10:00:05.000', event('iteration.completed')],
    ['15T10:00:07.000', { kind: 'step.done', key: 'x' }],
    ['15T23:00:00.000', { kind: 'session.resumed', run: { number: 2, pid: 1, startTime: '', mark: '' } }],
    ['15T23:00:01.000', event('stage.completed')],
  ];
  for (const [at, [time, record]] of records.entries()) fold(state, { seq: at + 1, at: `2026-11-${time}Z`, ...record });
  expect(state.workedMs).toBe(4000 + 2000 + 1000);
  expect(toSummary(state, plan, 'completed').stages).toMatchObject([
    { status: 'completed', durationMs: 3000 + 2000 + 1000 },
  ]);
});
