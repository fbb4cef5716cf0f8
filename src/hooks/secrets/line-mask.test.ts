import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createByteMask, createLineMask } from './line-mask.ts';
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

test('a private key that arrives line by line is hidden, and prose about one is not held back', () => {
  const lines = createLineMask(mask);
  const out = key.split(/(?<=\n)/).map(line => lines.push(line));
  expect(out.join('')).toBe('-----BEGIN EC PRIVATE KEY-----***-----END EC PRIVATE KEY-----\n');
  expect(lines.push('-----BEGIN PRIVATE KEY-----\n')).toBe('');
  expect(lines.push('is how a key begins, as you see.\n')).toBe(
    '-----BEGIN PRIVATE KEY-----\nis how a key begins, as you see.\n',
  );
});

test('a private key that never ends is hidden and let go', () => {
  const lines = createLineMask(mask);
  const [begin, first] = key.split(/(?<=\n)/) as [string, string];
  let out = lines.push(begin);
  for (let count = 0; count < 500; count += 1) out += lines.push(first);
  out += lines.push('that was it.\n') + lines.end();
  expect(out).not.toContain(first.slice(0, 16));
  expect(out).toMatch(/that was it\.\n$/);
});

test('bytes come out masked the same however they are cut into chunks', () => {
  const text = `a ${token} ü🙂 secret-value-1 é\n${key}${key.slice(0, 90)}\nrest https://u:p@host/?q=1 secret-va\n🙂${token}`;
  const bytes = Buffer.from(text);
  const whole = masked([bytes]);
  for (const word of ['secret-value-1', token, keyLine, 'u:p']) expect(whole).not.toContain(word);
  for (const word of ['ü🙂', 'é', 'rest https://***@host/?***', 'secret-va\n🙂***']) expect(whole).toContain(word);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 40 }), cuts => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      expect(masked(at.slice(1).map((end, index) => bytes.subarray(at[index], end)))).toBe(whole);
    }),
    { numRuns: 300 },
  );
});

const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
const keyLine = 'MHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoGCCqGSM49';
const key = ['-----BEGIN EC PRIVATE KEY-----', keyLine, keyLine, 'AwEHoUQD==', '-----END EC PRIVATE KEY-----', ''].join(
  '\n',
);

function masked(chunks: readonly Buffer[]): string {
  const stream = createByteMask(mask);
  return Buffer.concat([...chunks.map(stream.take), stream.end()]).toString();
}
