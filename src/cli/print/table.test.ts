import { expect, test } from 'vitest';
import { columnWidths, row } from './table.ts';

test('columns stand below each other, also with wide characters', () => {
  const rows = [
    ['日本', 'x', '1'],
    ['a', '', '2'],
    ['b', 'y', ''],
  ];
  const widths = columnWidths(rows);
  expect(rows.map(cells => row(cells, widths))).toEqual(['日本  x  1', 'a        2', 'b     y']);
});

test('a table may have more rows than a call has arguments', () => {
  expect(columnWidths(Array.from({ length: 300_000 }, (_, at) => ['a', String(at)]))).toEqual([1, 6]);
});
