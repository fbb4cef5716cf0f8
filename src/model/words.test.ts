import { describe, expect, test } from 'vitest';
import { byWords, clock, counted, durationWords, elapsedWords } from './words.ts';

describe('a duration', () => {
  test.each([
    [0, '0.0 s'],
    [-5, '0.0 s'],
    [412, '0.4 s'],
    [9949, '9.9 s'],
    [9950, '10 s'],
    [12_300, '12 s'],
    [59_499, '59 s'],
    [59_500, '1 min 00 s'],
    [185_000, '3 min 05 s'],
    [3_599_600, '1 h 00 min'],
    [3_780_000, '1 h 03 min'],
    [90_000_000, '25 h 00 min'],
  ])('of %i ms is %s', (ms, words) => expect(durationWords(ms)).toBe(words));
});

test('what still goes on is counted in whole seconds that have passed', () =>
  expect([0, 999, 1000, 59_999, 61_000].map(elapsedWords)).toEqual(['0 s', '0 s', '1 s', '59 s', '1 min 01 s']));

test('the time since the start grows an hour when it needs one', () =>
  expect([0, 12_900, 185_000, 3_723_000].map(clock)).toEqual(['00:00', '00:12', '03:05', '1:02:03']));

test('one is not many', () =>
  expect([0, 1, 2].map(count => counted(count, 'line'))).toEqual(['0 lines', '1 line', '2 lines']));

test.each([
  ['ana with hookloop approve', 'by ana with hookloop approve'],
  ['a request to the callback URL', 'by a request to the callback URL'],
  ['by ana with hookloop approve', 'by ana with hookloop approve'],
  ['on the approval page', 'on the approval page'],
  ['with hookloop reject', 'with hookloop reject'],
  ['at the terminal', 'at the terminal'],
  ['on with hookloop reject', 'by on with hookloop reject'],
])('an answer of %j was given %s', (by, words) => expect(byWords(by)).toBe(words));
