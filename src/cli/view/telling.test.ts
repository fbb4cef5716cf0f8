import { expect, test } from 'vitest';
import { createMessageLines } from './telling.ts';

test('pieces of a message are joined to whole lines, empty ones left out', () => {
  const lines = createMessageLines(8);
  expect(lines.add('I wi')).toEqual([]);
  expect(lines.add('ll do it.\n\n  Then ')).toEqual(['I will do it.']);
  expect(lines.add('more')).toEqual([]);
  expect(lines.end()).toEqual(['Then more']);
  expect(lines.end()).toEqual([]);
});

test('of a long message the first lines are shown, and how many there are beyond', () => {
  const lines = createMessageLines(2);
  expect(lines.add('1\n2\n3\n4\nfive')).toEqual(['1', '2']);
  expect(lines.end()).toEqual(['... 3 more lines']);
  expect(lines.add('next\n')).toEqual(['next']);
});

test('a line without end takes no memory and is cut', () => {
  const lines = createMessageLines(8);
  for (let piece = 0; piece < 1000; piece += 1) lines.add('x'.repeat(1000));
  const [line] = lines.end();
  expect(line).toHaveLength(160);
  expect(line).toMatch(/…$/);
});
