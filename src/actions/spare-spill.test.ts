import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSpareSpill } from './spare-spill.ts';

function spareSpill() {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-spares-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, spill: createSpareSpill(folder) };
}

test('files are ready before they are asked for, and none is handed out twice', async () => {
  const { folder, spill } = spareSpill();
  const first = spill.open('stdout');
  await nextTurn();
  const ready = readdirSync(folder).filter(name => join(folder, name) !== first.path);
  const opened = [spill.open('stdout'), spill.open('stdout'), spill.open('stdout')];
  expect(opened.slice(0, 2).map(({ path }) => path)).toEqual(ready.map(name => join(folder, name)));
  expect(new Set([first, ...opened].map(({ path }) => path)).size).toBe(4);
  expect(new Set([first, ...opened].map(({ fd }) => fd)).size).toBe(4);
  expect(opened.every(({ path }) => path.endsWith('.stdout.txt'))).toBe(true);
  for (const file of [first, ...opened]) spill.discard(file);
  spill.close();
});

test('what is given back is gone a moment later, and what was never used when it is closed', async () => {
  const { folder, spill } = spareSpill();
  const file = spill.open('stderr');
  spill.discard(file);
  expect(existsSync(file.path)).toBe(true);
  await nextTurn();
  expect(existsSync(file.path)).toBe(false);
  expect(readdirSync(folder)).toHaveLength(4);
  spill.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that is taken away costs its spares their names, and the next ones are made anew', async () => {
  const { folder, spill } = spareSpill();
  spill.discard(spill.open('stdout'));
  await nextTurn();
  rmSync(folder, { recursive: true });
  for (let count = 0; count < 2; count += 1) spill.discard(spill.open('stdout'));
  await nextTurn();
  expect(existsSync(spill.open('stdout').path)).toBe(true);
  spill.close();
});
