import { expect, test } from 'vitest';
import { oddRecords, started, wholeSession } from '../session/state/fixtures/records.ts';
import { viewOf } from '../session/state/fixtures/view.ts';
import { fold, newState } from '../session/state/state.ts';

test('records of another version and records that make no sense change nothing', () => {
  const strange = oddRecords.map(record => [1, record] as const);
  expect(viewOf([...wholeSession, ...strange])).toEqual(viewOf(wholeSession));
  const state = newState();
  for (const at of [undefined, 5, 'never', null]) fold(state, { seq: 1, at, ...started() } as never);
  expect(state.runs).toEqual([]);
});
