import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryProject } from '../state/fixtures/project.ts';
import { readJournal } from './fixtures/read-journal.ts';
import { encodeLine } from './journal-lines.ts';
import { streamJournal } from './read-journal.ts';

const line = (seq: number, text = 'x'): Buffer => encodeLine({ seq, at: 'then', text });

function read(...parts: Uint8Array[]) {
  const path = join(temporaryProject(), 'journal.jsonl');
  writeFileSync(path, Buffer.concat(parts));
  const entries: object[] = [];
  return { path, entries, streamed: streamJournal(path, entry => void entries.push(entry)) };
}

const flipped = (bytes: Buffer): Buffer => {
  bytes[12]! ^= 1;
  return bytes;
};

describe('a journal is streamed as its own reader reads it', () => {
  const cases: [string, Uint8Array[]][] = [
    ['empty', []],
    ['whole', [line(1), line(2), line(3)]],
    ['over many chunks', Array.from({ length: 50 }, (_, at) => line(at + 1, 'y'.repeat(at * 4000)))],
    ['with a line longer than a chunk', [line(1), line(2, 'z'.repeat(3_000_000)), line(3)]],
    ['without its last newline', [line(1), line(2).subarray(0, -1)]],
    ['with a torn end', [line(1), line(2).subarray(0, 20)]],
    ['with an end of NUL', [line(1), Buffer.alloc(500)]],
    ['damaged in the middle', [line(1), flipped(line(2)), line(3)]],
    ['damaged in its last line', [line(1), flipped(line(2))]],
    ['damaged in its first line', [flipped(line(1)), line(2)]],
    ['with a gap', [line(1), line(3)]],
  ];

  test.each(cases)('%s', (_, parts) => {
    const { path, entries, streamed } = read(...parts);
    const reading = readJournal(path);
    if (reading.kind === 'unreadable') throw new Error(reading.reason);
    expect(entries).toEqual(reading.entries);
    expect(streamed).toEqual(
      reading.kind === 'damaged' ? { kind: 'damaged', damage: reading.damage } : { kind: 'read' },
    );
  });
});

test('what is no file or is not there is a reason', () => {
  const root = temporaryProject();
  mkdirSync(join(root, 'folder'));
  expect(streamJournal(join(root, 'folder'), () => {})).toEqual({ kind: 'unreadable', reason: 'it is not a file' });
  expect(streamJournal(join(root, 'none'), () => {})).toEqual({
    kind: 'unreadable',
    reason: 'it does not exist (ENOENT)',
  });
});

test('a mistake in what takes the entries is not taken for a bad file', () => {
  const { path } = read(line(1));
  expect(() =>
    streamJournal(path, () => {
      throw new Error('mine');
    }),
  ).toThrow('mine');
});
