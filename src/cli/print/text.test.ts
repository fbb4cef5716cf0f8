import { describe, expect, test } from 'vitest';
import { cut, firstLines, flat, folded, outerLines, pad, textWidth, wrap } from './text.ts';

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
    ['✓✗⊘⠋ ·…', 7],
  ])('%j takes %i columns', (text, width) => expect(textWidth(text)).toBe(width));
});

describe('a text that is too long', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['fits', 4, 'fits'],
    ['x', 0, ''],
  ])('%j in %i columns is %j', (text, width, shown) => expect(cut(text, width)).toBe(shown));

  test('is cut at its start where the end matters', () => {
    expect(cut('a/long/path.sh:12', 11, 'start')).toBe('…path.sh:12');
  });
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

describe('a text on several lines', () => {
  test('is folded between words, and a long word within it', () =>
    expect(folded('one two abcdefghijkl 日本日本日本', 7)).toEqual([
      'one two',
      'abcdefg',
      'hijkl',
      '日本日',
      '本日本',
    ]));

  test('does not leave a line half empty before a long word', () =>
    expect(folded('hook ./scripts/a-long-name.sh passed', 16)).toEqual([
      'hook ./scripts/a',
      '-long-name.sh',
      'passed',
    ]));

  test('keeps a number and its unit together', () =>
    expect(folded('done in 12 s, so', 10)).toEqual(['done in', '12 s, so']));

  test.each([1, 2, 7, 40])('is never wider than %i columns when it is folded', columns => {
    const text = 'Lorem ipsum 日本語 👩‍👩‍👧 dolor-sit-amet-consectetur e\u0301 x';
    for (const line of folded(text, columns)) expect(textWidth(line)).toBeLessThanOrEqual(Math.max(2, columns));
    expect(folded(text, columns).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  });
});

test('of a long output its beginning and its end are shown, and no line in place of one', () => {
  const output = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at + 1}\n\n`).join('');
  expect(outerLines(output(3), 2, 6)).toEqual(['line 1', 'line 2', 'line 3']);
  expect(outerLines(output(5), 2, 6)).toHaveLength(5);
  expect(outerLines(output(4), 1, 2)).toEqual(['line 1', 'line 2', 'line 3', 'line 4']);
  expect(outerLines(output(5), 1, 2)).toEqual(['line 1', '... 2 more lines ...', 'line 4', 'line 5']);
  const cutBefore = `a\nb\n... (1,200 more lines)\nc\nd`;
  expect(outerLines(cutBefore, 1, 1)).toEqual(['a', '... 1202 more lines ...', 'd']);
});

test('colours that a program prints are left out, and nothing else that it prints', () => {
  expect(firstLines('\x1b[1;31mFAIL\x1b[0m a\tb \x1b[2J', 5).lines).toEqual(['FAIL a  b \ufffd[2J']);
});
