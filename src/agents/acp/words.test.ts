import { expect, test } from 'vitest';
import { createWords } from './words.ts';

test('messages with a tool call between them become paragraphs', () => {
  const words = createWords();
  words.take('one', 'a');
  words.pause();
  words.take('two', 'a');
  expect(words.text()).toBe('one\n\ntwo');
});

test('an empty piece, as some models send first, makes no paragraph', () => {
  const words = createWords();
  words.take('one', 'a');
  for (let n = 0; n < 3; n += 1) {
    words.pause();
    words.take('', 'a');
  }
  words.take('two', 'a');
  expect(words.text()).toBe('one\n\ntwo');
});
