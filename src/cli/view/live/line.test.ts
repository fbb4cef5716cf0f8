import { describe, expect, test } from 'vitest';
import { createColours } from '../../print/paint.ts';
import { textWidth } from '../../print/text.ts';
import { flexible, paintLine, span } from './line.ts';

describe('a line', () => {
  const colours = createColours(true);

  test('that is too long cuts the part that gives way, and closes every style', () =>
    expect(paintLine([span('ab '), flexible('long name', 'bold'), span(' 12 s', 'dim')], 14, colours)).toBe(
      'ab \x1b[1mlong …\x1b[22m\x1b[2m 12 s\x1b[22m',
    ));

  test('never takes more columns than there are', () => {
    const line = [span('label      ', 'dim'), flexible('日本語'.repeat(20)), span('  3 min 05 s', 'dim')];
    for (let columns = 1; columns < 100; columns += 1)
      expect(textWidth(paintLine(line, columns, colours))).toBeLessThanOrEqual(columns);
  });
});
