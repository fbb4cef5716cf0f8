import { describe, expect, test } from 'vitest';
import { createColours } from '../../print/paint.ts';
import { flexible, paintLine, span } from './span.ts';
import { cutTo, folded, width } from './width.ts';

describe('a text', () => {
  test.each([
    ['日本語', 4, '日…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['fits', 4, 'fits'],
    ['x', 0, ''],
  ])('%j in %i columns is %j', (text, columns, shown) => expect(cutTo(text, columns)).toBe(shown));

  test('is folded between words, and a long word within it', () =>
    expect(folded('one two abcdefghijkl 日本日本日本', 7)).toEqual([
      'one two',
      'abcdefg',
      'hijkl',
      '日本日',
      '本日本',
    ]));

  test('keeps a number and its unit together', () =>
    expect(folded('done in 12 s, so', 10)).toEqual(['done in', '12 s, so']));

  test.each([1, 2, 7, 40])('is never wider than %i columns when it is folded', columns => {
    const text = 'Lorem ipsum 日本語 👩‍👩‍👧 dolor-sit-amet-consectetur e\u0301 x';
    for (const line of folded(text, columns)) expect(width(line)).toBeLessThanOrEqual(Math.max(2, columns));
    expect(folded(text, columns).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  });
});

describe('a line', () => {
  const colours = createColours(true);

  test('that is too long cuts the part that gives way, and closes every style', () =>
    expect(paintLine([span('ab '), flexible('long name', 'bold'), span(' 12 s', 'dim')], 14, colours)).toBe(
      'ab \x1b[1mlong …\x1b[22m\x1b[2m 12 s\x1b[22m',
    ));

  test('never takes more columns than there are', () => {
    const line = [span('label      ', 'dim'), flexible('日本語'.repeat(20)), span('  3 min 05 s', 'dim')];
    for (let columns = 1; columns < 100; columns += 1)
      expect(width(paintLine(line, columns, colours))).toBeLessThanOrEqual(columns);
  });
});
