import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder, readOwnFile, replaceLink, writeAtomically, writeOnce } from './files.ts';
import { temporaryFolder } from './fixtures/programs.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test.each([undefined, 'bytes', 'name'] as const)('a file is replaced whole and is private (sync: %s)', sync => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'a longer text than the next one');
  writeAtomically(file, 'text', { ...(sync && { sync }) });
  expect([readFileSync(file, 'utf8'), modeOf(file), readdirSync(folder)]).toEqual(['text', 0o600, ['file']]);
});

test('a mode that someone chose is kept, whatever the mask of the process', () => {
  const file = join(temporaryFolder(), 'file');
  const before = process.umask(0o077);
  try {
    writeAtomically(file, '#!/bin/sh\n', { mode: 0o755 });
  } finally {
    process.umask(before);
  }
  expect(modeOf(file)).toBe(0o755);
});

test('what cannot be written leaves nothing behind, and what a link leads to is left alone', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'taken'));
  writeFileSync(join(folder, 'precious'), 'mine');
  symlinkSync(join(folder, 'precious'), join(folder, 'link'));
  expect(() => writeAtomically(join(folder, 'taken'), 'text')).toThrow();
  writeAtomically(join(folder, 'link'), 'text');
  expect(readdirSync(folder).sort()).toEqual(['link', 'precious', 'taken']);
  expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('mine');
});

test('a file is made once', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  expect(['a', 'b', 'c'].map(text => writeOnce(file, text, { sync: 'name' }))).toEqual([true, false, false]);
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['a', ['file']]);
});

test('private folders are made with those above them, also for a link', () => {
  const folder = temporaryFolder();
  makePrivateFolder(join(folder, 'a/b'), true);
  replaceLink(join(folder, 'c/d/link'), 'target');
  for (const made of ['a', 'a/b', 'c', 'c/d']) expect(modeOf(join(folder, made))).toBe(0o700);
});

test('a file that others may have written is not believed', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeAtomically(file, 'text');
  expect(readOwnFile(file)?.toString()).toBe('text');
  symlinkSync(file, join(folder, 'link'));
  chmodSync(file, 0o620);
  expect([file, join(folder, 'link'), folder, join(folder, 'absent')].map(readOwnFile)).toEqual(
    Array(4).fill(undefined),
  );
});
