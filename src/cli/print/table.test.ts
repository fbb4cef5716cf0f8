import { describe, expect, test } from 'vitest';
import { columnWidths, cut, flat, pad, row, textWidth, wrap } from './table.ts';

describe('the width of a text', () => {
  test.each([
    ['plain', 5],
    ['', 0],
    ['日本語', 6],
    ['한글', 4],
    ['ｆｕｌｌ', 8],
    ['🎉', 2],
    ['👩‍👩‍👧', 2],
    ['✔️', 2],
    ['é', 1],
    ['e\u0301', 1],
    ['\u200b', 0],
    ['·…→', 3],
  ])('%j takes %i columns', (text, width) => expect(textWidth(text)).toBe(width));
});

describe('a text that is too long', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
  ])('%j in %i columns is %j', (text, width, shown) => expect(cut(text, width)).toBe(shown));

  test('is cut at its start where the end matters', () => {
    expect(cut('a/long/path.sh:12', 11, 'start')).toBe('…path.sh:12');
  });
});

test('columns stand below each other, also with wide characters', () => {
  const rows = [
    ['日本', 'x', '1'],
    ['a', '', '2'],
    ['b', 'y', ''],
  ];
  const widths = columnWidths(rows);
  expect(rows.map(cells => row(cells, widths))).toEqual(['日本  x  1', 'a        2', 'b     y']);
});

test('padding never cuts', () => expect([pad('ab', 4), pad('abcd', 2)]).toEqual(['ab  ', 'abcd']));

test('parts are wrapped and never broken', () => {
  expect(wrap(['one', 'two', 'three', 'a-very-long-part'], 10, ' · ')).toEqual([
    'one · two',
    'three',
    'a-very-long-part',
  ]);
});

test('a text on one line cannot steer the terminal', () => {
  expect(flat(' a\n  b\x1b[31m\u202ec\x07 ')).toBe('a b\ufffd[31m\ufffdc\ufffd');
});

test('a very long text is measured in no time', () => {
  const from = performance.now();
  expect(cut(flat('完🎉'.repeat(300_000)), 6)).toBe('完🎉…');
  expect(performance.now() - from).toBeLessThan(10_000);
});

test('a table may have more rows than a call has arguments', () => {
  expect(columnWidths(Array.from({ length: 300_000 }, (_, at) => ['a', String(at)]))).toEqual([1, 6]);
});
