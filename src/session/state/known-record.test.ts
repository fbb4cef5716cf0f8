import { expect, test } from 'vitest';
import { oddRecords, started, wholeSession } from './fixtures/records.ts';
import { viewOf } from './fixtures/view.ts';
import { createSessionFold } from './fold.ts';

test('records of another version and records that make no sense change nothing', () => {
  const strange = oddRecords.map(record => [1, record] as const);
  expect(viewOf([...wholeSession, ...strange])).toEqual(viewOf(wholeSession));
  const fold = createSessionFold();
  for (const at of [undefined, 5, 'never', null]) fold.add({ seq: 1, at, ...started() } as never);
  expect(fold.view('x', false, 0).runs).toBe(0);
});
