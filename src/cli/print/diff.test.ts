import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './diff.ts';

test('a diff leads from one text to the other, also where the last line has no end', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '+x', '-y', 'd\r')).map(lines => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      expect(applyPatch(before, unifiedDiff('f', before, after), { autoConvertLineEndings: false })).toBe(after);
    }),
  );
});

test('a file that is not there is /dev/null, and no lines begin at line 0', () => {
  expect(unifiedDiff('a', undefined, 'x\n')).toBe('--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n');
  expect(unifiedDiff('a', 'x\n', undefined)).toBe('--- a/a\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n');
});

test('texts that have little in common are shown one after the other, and soon', () => {
  const lines = (word: string): string => Array.from({ length: 3000 }, (_, at) => `${word} ${at}\n`).join('');
  const [head, from, range, ...rest] = unifiedDiff('a', lines('old'), lines('new')).split('\n');
  expect([head, from, range]).toEqual(['--- a/a', '+++ b/a', '@@ -1,3000 +1,3000 @@']);
  expect(rest.map(line => line[0] ?? '').join('')).toBe(`${'-'.repeat(3000)}${'+'.repeat(3000)}`);
});
