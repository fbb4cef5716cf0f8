import { expect, test } from 'vitest';
import { acceptedWords, meaningOf, ownWordFlaw } from './action.ts';

test.each(['approve', 'approved', 'continue', 'ok', 'yes', ' YES ', 'Approved\n'])('%j is a yes', word => {
  expect(meaningOf(word)).toBe('approve');
});

test.each(['reject', 'rejected', 'abort', 'deny', 'denied', 'decline', 'stop', 'cancel', 'no', ' Cancel'])(
  '%j is a no',
  word => {
    expect(meaningOf(word)).toBe('reject');
  },
);

test.each([
  '',
  ' ',
  'nein',
  'rejct',
  'reject!',
  'no way',
  'disapprove',
  'approve reject',
  'y',
  'true',
  '1',
  'toString',
])('%j is not an answer', word => {
  expect(meaningOf(word)).toBeUndefined();
});

test("a hook's own words count beside the known ones, for that hook alone", () => {
  const own = { Ship: 'approve', hold: 'reject' } as const;
  expect(['ship', 'HOLD', 'yes', 'stop', 'later'].map(word => meaningOf(word, own))).toEqual([
    'approve',
    'reject',
    'approve',
    'reject',
    undefined,
  ]);
  expect(meaningOf('ship')).toBeUndefined();
  expect(acceptedWords(own).approve.slice(0, 2)).toEqual(['ship', 'approve']);
});

test('a word that is given both meanings is a no', () => {
  expect(meaningOf('stop', { stop: 'approve' })).toBe('reject');
  expect(meaningOf('go', { go: 'approve', GO: 'reject' })).toBe('reject');
  expect(meaningOf('yes', { yes: 'reject' })).toBe('reject');
});

test.each([
  ['ship it', 'approve', undefined],
  ['später', 'reject', undefined],
  ['yes', 'approve', undefined],
  ['stop', 'approve', 'stop always means reject'],
  ['OK', 'reject', 'OK always means approve'],
  ['hold', 'maybe', 'a word means approve or reject'],
  ['', 'approve', 'a word has at most 40 letters, digits, spaces, dots, dashes or underscores'],
  ['<b>', 'approve', 'a word has at most 40 letters, digits, spaces, dots, dashes or underscores'],
  ['go ', 'approve', 'a word has at most 40 letters, digits, spaces, dots, dashes or underscores'],
])('actions: { %j: %s } has the flaw %s', (word, meaning, flaw) => {
  expect(ownWordFlaw(word, meaning)).toBe(flaw);
});
