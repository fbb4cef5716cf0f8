import { expect, test } from 'vitest';
import { byWords } from './settlement.ts';

test.each([
  ['ana with hookloop approve', 'by ana with hookloop approve'],
  ['a request to the callback URL', 'by a request to the callback URL'],
  ['by ana with hookloop approve', 'by ana with hookloop approve'],
  ['on the approval page', 'on the approval page'],
  ['with hookloop reject', 'with hookloop reject'],
  ['at the terminal', 'at the terminal'],
  ['on with hookloop reject', 'by on with hookloop reject'],
])('an answer of %j was given %s', (by, words) => expect(byWords(by)).toBe(words));
