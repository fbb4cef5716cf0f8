import { expect, test } from 'vitest';
import { promptPlan } from './pipeline/short-forms.ts';
import type { SessionEntry } from './recover.ts';
import { createTally } from './tally.ts';

const entry = (seq: number, at: string, record: object): SessionEntry =>
  ({ seq, at: `2026-11-${at}Z`, ...record }) as SessionEntry;
const event = (name: string) => ({ kind: 'event', event: { name, stage: 'work', iteration: 1 } });

test('a clock that is set back a day takes no time away, and the time between two processes is no work', () => {
  const tally = createTally(promptPlan('go'));
  tally.replay([
    entry(1, '16T10:00:00.000', { kind: 'session.started' }),
    entry(2, '16T10:00:01.000', event('stage.starting')),
    entry(3, '16T10:00:04.000', event('iteration.starting')),
    entry(4, '15T10:00:05.000', event('iteration.completed')),
    entry(5, '15T10:00:07.000', { kind: 'step.done', key: 'x' }),
    entry(6, '15T23:00:00.000', { kind: 'session.resumed' }),
    entry(7, '15T23:00:01.000', event('stage.completed')),
  ]);
  expect(tally.workedMs()).toBeGreaterThanOrEqual(4000 + 2000 + 1000);
  expect(tally.workedMs()).toBeLessThan(8000);
  expect(tally.stages('completed')).toMatchObject([{ status: 'completed', durationMs: 3000 + 2000 + 1000 }]);
});
