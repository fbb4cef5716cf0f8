import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

test.each([
  ['on_run_complete', ['on-run-start', 'on-run-complete'], 'on-run-complete'],
  ['iteration.complete', ['iteration.completed', 'iteration.failed'], 'iteration.completed'],
  ['comand', ['command', 'timeout'], 'command'],
  ['pre_toll', ['pre_tool', 'post_tool'], 'pre_tool'],
  ['zzz', ['command', 'timeout'], undefined],
  ['', ['a'], 'a'],
])('the nearest to %j in %j is %s', (name, known, expected) => {
  expect(nearest(name, known)).toBe(expected);
});
