import { expect, test } from 'vitest';
import { createLineMask } from './line-mask.ts';
import { createMask } from './mask.ts';

const mask = createMask({ API_TOKEN: 'secret-value-1' });

test('a secret that arrives in pieces is hidden, and lines come out whole', () => {
  const lines = createLineMask(mask);
  expect(lines.push('one sec')).toBe('');
  expect(lines.push('ret-value-1 two\nthree\nfo')).toBe('one *** two\nthree\n');
  expect(lines.push('ur secret-val')).toBe('');
  expect(lines.end()).toBe('four secret-val');
  expect(lines.end()).toBe('');
});

test('a line that never ends is let go in parts without telling a secret at the seams', () => {
  const lines = createLineMask(mask);
  const text = `${'x'.repeat(997)}secret-value-1`.repeat(1200);
  let out = '';
  let longestHeld = 0;
  for (let at = 0; at < text.length; at += 1000) {
    out += lines.push(text.slice(at, at + 1000));
    longestHeld = Math.max(longestHeld, at - out.length);
  }
  out += lines.end();
  expect(out).toBe(mask(text));
  expect(longestHeld).toBeLessThan(400 * 1024);
});
