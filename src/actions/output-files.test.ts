import {
  closeSync,
  existsSync,
  ftruncateSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './fixtures/programs.ts';
import { cleanOldSpills, createScratch, createSpill, makeRoom } from './output-files.ts';

const dayMs = 86_400_000;

test('making a spill touches nothing; opening makes private files with names of their own', () => {
  const folder = join(temporaryFolder(), 'state', 'hooks');
  const spill = createSpill(folder);
  expect(existsSync(folder)).toBe(false);
  const files = [spill.open('stdout'), spill.open('stdout'), spill.open('stderr')];
  for (const { fd } of files) closeSync(fd);
  expect(new Set(files.map(({ path }) => path)).size).toBe(3);
  expect(files.map(({ path }) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('old files of ours are removed; new ones and those of others stay', () => {
  const folder = temporaryFolder();
  const old = createSpill(folder).open('stdout');
  const fresh = createSpill(folder).open('stdout');
  for (const { fd } of [old, fresh]) closeSync(fd);
  const foreign = join(folder, 'notes.txt');
  writeFileSync(foreign, 'mine');
  const longAgo = (Date.now() - 8 * dayMs) / 1000;
  for (const path of [old.path, foreign]) utimesSync(path, longAgo, longAgo);
  expect(cleanOldSpills(folder, 7 * dayMs)).toBe(1);
  expect(
    readdirSync(folder)
      .map(name => join(folder, name))
      .sort(),
  ).toEqual([fresh.path, foreign].sort());
});

test('cleaning a folder that does not exist is fine', () => {
  expect(cleanOldSpills(join(temporaryFolder(), 'none'), dayMs)).toBe(0);
});

/** A spill of so many bytes that was written to so many days ago. */
function spillOf(bytes: number, folder: string, index: string, days: number): string {
  const { path, fd } = createSpill(folder, index).open('stdout');
  ftruncateSync(fd, bytes);
  closeSync(fd);
  const at = (Date.now() - days * dayMs) / 1000;
  utimesSync(path, at, at);
  return path;
}

test('all spills of a user share one limit: the oldest go first, in whatever folder they are', () => {
  const folder = temporaryFolder();
  const [a, b, index] = ['a', 'b', 'index'].map(name => join(folder, name)) as [string, string, string];
  const spills = [spillOf(300, a, index, 3), spillOf(300, b, index, 4), spillOf(300, b, index, 1)];
  const left = (): boolean[] => spills.map(path => existsSync(path));
  makeRoom(index, 900);
  expect(left()).toEqual([true, true, true]);
  makeRoom(index, 700);
  expect(left()).toEqual([true, false, true]);
  makeRoom(index, 299);
  expect(left()).toEqual([false, false, false]);
  expect(readdirSync(index)).toEqual([]);
});

test('before a spill is made the others have gone below what 1 GB leaves it', () => {
  const folder = temporaryFolder();
  const [files, index] = [join(folder, 'files'), join(folder, 'index')];
  const old = [5, 4, 3].map(days => spillOf(400_000_000, files, index, days));
  expect(old.map(path => existsSync(path))).toEqual([true, true, true]);
  spillOf(1, files, index, 0);
  expect(old.map(path => existsSync(path))).toEqual([false, true, true]);
});

test('what is removed by hand is forgotten, and a link to any other file leaves that file alone', () => {
  const folder = temporaryFolder();
  const index = join(folder, 'index');
  rmSync(spillOf(10, folder, index, 0));
  const notes = join(folder, 'notes.txt');
  writeFileSync(notes, 'mine');
  symlinkSync(notes, join(index, 'notes.txt'));
  makeRoom(index, 0);
  expect(readdirSync(index)).toEqual([]);
  expect(readFileSync(notes, 'utf8')).toBe('mine');
});

test('a scratch file is private and goes when told, twice without harm', () => {
  const scratch = createScratch(join(temporaryFolder(), 'scratch'));
  const path = scratch.write('HOOK_ERROR', 'grüß');
  expect(readFileSync(path, 'utf8')).toBe('grüß');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  scratch.remove(path);
  scratch.remove(path);
  expect(existsSync(path)).toBe(false);
});
