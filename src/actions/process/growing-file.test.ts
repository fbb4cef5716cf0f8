import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSpill } from '../spill.ts';
import { createGrowingFile } from './growing-file.ts';

const limits = { fullBytes: 100, edgeBytes: 20, spillBytes: 200 };

function growing() {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-growing-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const spill = createSpill(folder);
  const opened = spill.open('stdout');
  return {
    path: opened.path,
    file: createGrowingFile(opened, spill, limits),
    append: (text: string): void => appendFileSync(opened.path, text),
  };
}

const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${String(from + at).padStart(4, '0')}\n`).join('');

test('a small file is read whole and is gone then', () => {
  const { file, append, path } = growing();
  append('hello\n');
  file.trim();
  expect(file.end()).toEqual({ text: 'hello\n', bytes: 6 });
  expect(existsSync(path)).toBe(false);
});

test('news are handed out once', () => {
  const { file, append } = growing();
  append('one\n');
  expect(String(file.news())).toBe('one\n');
  append('two\n');
  expect([String(file.news()), String(file.news())]).toEqual(['two\n', '']);
});

test('a file that grows without end is held at its limit; its last words are known all the same', () => {
  const { file, append, path } = growing();
  for (let round = 0; round < 10; round += 1) {
    append(lines(round * 50, 50));
    file.trim();
    expect(readFileSync(path, 'utf8')).toBe(lines(0, 20));
  }
  append('the end\n');
  const { text, bytes } = file.end();
  expect(bytes).toBe(500 * 10 + 8);
  expect(text).toBe(
    `line 0000\nline 0001\n[4970 bytes left out; only the first 200 of 5008 bytes are in ${path} ` +
      '(the file may not be longer than 200 bytes)]\nline 0499\nthe end\n',
  );
  expect(readFileSync(path, 'utf8')).toBe(lines(0, 20));
});

test('news go on after a file was held at its limit', () => {
  const { file, append } = growing();
  append(lines(0, 30));
  while (file.news().length > 0);
  file.trim();
  append('later\n');
  expect(String(file.news())).toBe('later\n');
});
