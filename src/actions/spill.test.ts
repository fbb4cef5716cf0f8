import { closeSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './fixtures/programs.ts';
import { createScratch } from './scratch.ts';
import { cleanOldSpills, createSpill } from './spill.ts';

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

test('a scratch file is private and goes when told, twice without harm', () => {
  const scratch = createScratch(join(temporaryFolder(), 'scratch'));
  const path = scratch.write('HOOK_ERROR', 'grüß');
  expect(readFileSync(path, 'utf8')).toBe('grüß');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  scratch.remove(path);
  scratch.remove(path);
  expect(existsSync(path)).toBe(false);
});
