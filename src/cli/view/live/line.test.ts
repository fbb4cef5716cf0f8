import { describe, expect, test } from 'vitest';
import { createColours } from '../../print/paint.ts';
import { textWidth } from '../../print/text.ts';
import { flexible, lastingLines, paintLine, span, symbolsFor } from './line.ts';

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

describe('a thing that happened', () => {
  const lines = (told: Parameters<typeof lastingLines>[0], columns = 40) =>
    lastingLines(told, { columns, colours: createColours(false), symbols: symbolsFor('xterm') });

  test('has what why takes beside it or, where there is no room, below', () => {
    const told = { mark: 'failed', text: 'hook npm test failed', aside: 'task.completing #45' } as const;
    expect(lines(told, 60)).toEqual(['✗ hook npm test failed  task.completing #45']);
    expect(lines(told, 30)).toEqual(['✗ hook npm test failed  #45']);
    expect(lines(told, 24)).toEqual(['✗ hook npm test failed', '  #45']);
    expect(lines({ ...told, aside: 'task.completing' }, 30)).toEqual(['✗ hook npm test failed']);
  });

  test('is one line where it is short by nature', () =>
    expect(lines({ mark: 'begun', text: `tool Bash ${'x'.repeat(80)}`, aside: '12 s', isShort: true })).toEqual([
      `· tool Bash ${'x'.repeat(20)}…  12 s`,
    ]));

  test('that the agent says is a block, indented as it is', () => {
    expect(lines({ mark: 'said', text: 'I will write the parser first, then its tests.' })).toEqual([
      '  agent: I will write the parser first,',
      '         then its tests.',
    ]);
    expect(lines({ mark: 'said', text: '  indented();', continues: true })).toEqual(['           indented();']);
    expect(lines({ mark: 'said', text: 'One.', position: 'build 2' }, 40)).toEqual(['  build 2  agent:', '    One.']);
  });

  test.each([20, 40, 80])('never takes more than %i columns', columns => {
    const text = '日本語 '.repeat(30) + 'x'.repeat(300);
    for (const mark of ['said', 'failed'] as const)
      for (const line of lines({ mark, text, position: 'build 12', aside: 'x #1', details: [text] }, columns))
        expect(textWidth(line), line).toBeLessThan(columns);
  });
});
