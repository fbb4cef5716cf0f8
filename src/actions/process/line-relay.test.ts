import { expect, test } from 'vitest';
import { createLineRelay } from './line-relay.ts';

function relayed(chunks: readonly (string | Buffer)[], maxLineBytes?: number): string[] {
  const lines: string[] = [];
  const relay = createLineRelay(line => lines.push(line), maxLineBytes);
  for (const chunk of chunks) relay.take(Buffer.from(chunk as string));
  relay.end();
  return lines;
}

test('lines are whole however the chunks are cut', () => {
  expect(relayed(['on', 'e\ntwo\n\nfo', 'u', 'r'])).toEqual(['one', 'two', '', 'four']);
});

test('a last newline does not make an empty line', () => {
  expect(relayed(['one\n'])).toEqual(['one']);
  expect(relayed([])).toEqual([]);
});

test('a character split over chunks is whole', () => {
  const bytes = Buffer.from('é😀\n');
  expect(relayed([...bytes].map(byte => Buffer.from([byte])))).toEqual(['é😀']);
});

test('a very long line comes in pieces, cut after a space where there is one', () => {
  expect(relayed(['aaaa bbbbbbbb', 'ccccccc\n'], 8)).toEqual(['aaaa ', 'bbbbbbbb', 'ccccccc']);
});

test('a very long line is not cut inside a character', () => {
  expect(relayed(['€€€€€'], 8)).toEqual(['€€', '€€', '€']);
});

test('bytes that are no characters at all still come through', () => {
  expect(relayed([Buffer.alloc(20, 0x80)], 8).join('')).toBe('\ufffd'.repeat(20));
});

test('one long line in tiny chunks takes no quadratic time', () => {
  const chunk = Buffer.from('x');
  const startMs = performance.now();
  const lines = relayed(Array.from({ length: 300_000 }, () => chunk));
  expect(lines.join('')).toHaveLength(300_000);
  expect(performance.now() - startMs).toBeLessThan(3000);
});
