import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type TestRepository, testRepository } from './fixtures/repository.ts';
import { planRestore, restore } from './restore.ts';
import { captureTree } from './tree.ts';

async function treeOf(one: TestRepository): Promise<string> {
  const captured = await captureTree(one.root, one);
  if (captured.kind !== 'tree') throw new Error(captured.why);
  return captured.tree;
}

/** Goes from what is there now to a tree. */
async function goTo(one: TestRepository, target: string) {
  const present = await treeOf(one);
  const plan = await planRestore(one.root, { present, target }, one);
  if (plan.kind === 'failed') throw new Error(plan.why);
  expect(await restore(one.root, { present, changes: plan.changes, index: one.index }, one)).toBeUndefined();
  return { paths: plan.changes.map(({ kind, path }) => `${kind} ${path}`), left: plan.left };
}

test('only files that differ are written, and those that are new since are removed with their folders', async () => {
  const one = testRepository();
  one.write('same', 's');
  one.write('changed', 'before');
  one.write('removed', 'r');
  const before = await treeOf(one);
  const untouched = lstatSync(join(one.root, 'same'), { bigint: true });
  one.write('changed', 'after');
  rmSync(join(one.root, 'removed'));
  one.write('new/deep/file', 'n');
  expect(await goTo(one, before)).toEqual({
    paths: ['changed changed', 'removed new/deep/file', 'added removed'],
    left: [],
  });
  expect(readFileSync(join(one.root, 'changed'), 'utf8')).toBe('before');
  expect([existsSync(join(one.root, 'new')), existsSync(join(one.root, 'removed'))]).toEqual([false, true]);
  expect(lstatSync(join(one.root, 'same'), { bigint: true })).toEqual(untouched);
});

test('what is ignored is never touched, also where the tree has a file of that name', async () => {
  const one = testRepository();
  one.write('secret', 'first');
  one.write('build', 'a file');
  const before = await treeOf(one);
  one.write('.gitignore', 'secret\nbuild\n');
  one.write('secret', 'mine');
  rmSync(join(one.root, 'build'));
  one.write('build/out', 'made');
  const { left } = await goTo(one, before);
  expect(left.map(({ path }) => path)).toEqual(['build', 'secret']);
  expect(readFileSync(join(one.root, 'secret'), 'utf8')).toBe('mine');
  expect(readFileSync(join(one.root, 'build/out'), 'utf8')).toBe('made');
});

test('a file that became a folder, a folder that became a file, a link and a mode go back', async () => {
  const one = testRepository();
  one.write('one', 'file');
  one.write('two/inside', 'i');
  one.write('three', 'plain');
  symlinkSync('one', join(one.root, 'link'));
  const before = await treeOf(one);
  rmSync(join(one.root, 'one'));
  one.write('one/inside', 'x');
  rmSync(join(one.root, 'two'), { recursive: true });
  one.write('two', 'file');
  chmodSync(join(one.root, 'three'), 0o755);
  rmSync(join(one.root, 'link'));
  one.write('link', 'no link');
  await goTo(one, before);
  expect(await treeOf(one)).toBe(before);
  expect([lstatSync(join(one.root, 'link')).isSymbolicLink(), lstatSync(join(one.root, 'three')).mode & 0o111]).toEqual(
    [true, 0],
  );
});

test('repositories inside are left alone, and said', async () => {
  const one = testRepository();
  one.write('file', 'f');
  const before = await treeOf(one);
  mkdirSync(join(one.root, 'inner'));
  one.gitIn(join(one.root, 'inner'), 'init', '-q');
  one.gitIn(join(one.root, 'inner'), 'commit', '-qm', 'i', '--allow-empty');
  expect(await goTo(one, before)).toEqual({
    paths: [],
    left: [{ path: 'inner', why: 'it is a repository of its own' }],
  });
  expect(existsSync(join(one.root, 'inner/.git'))).toBe(true);
});

test('a file that changes between the look and the writing stops it, and nothing is written', async () => {
  const one = testRepository();
  one.write('a', '1');
  one.write('b', '1');
  const target = await treeOf(one);
  one.write('a', '2');
  one.write('b', '2');
  const present = await treeOf(one);
  const plan = await planRestore(one.root, { present, target }, one);
  one.write('b', 'someone else');
  if (plan.kind === 'failed') throw new Error(plan.why);
  expect(await restore(one.root, { present, changes: plan.changes, index: one.index }, one)).toContain('b');
  expect([readFileSync(join(one.root, 'a'), 'utf8'), readFileSync(join(one.root, 'b'), 'utf8')]).toEqual([
    '2',
    'someone else',
  ]);
});

test('whatever the files were, going back and forth gives them again, and the user index stays', async () => {
  const name = fc.constantFrom('a', 'b', 'd/x', 'd/e/y', 'ä\n', '-f', '"q"', ':x');
  const file = fc.tuple(name, fc.constantFrom('1\n', '2\n', ''), fc.boolean());
  const files = fc.array(file, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(files, files, async (first, second) => {
      const one = testRepository();
      const put = (all: typeof first): void => {
        for (const each of ['a', 'b', 'd', 'ä\n', '-f', '"q"', ':x'])
          rmSync(join(one.root, each), { recursive: true, force: true });
        for (const [path, text, runs] of all) {
          one.write(path, text);
          chmodSync(join(one.root, path), runs ? 0o755 : 0o644);
        }
      };
      put(first);
      if (first.length % 2 === 0) one.git('add', '-A');
      const [before, seen] = [await treeOf(one), one.seen()];
      put(second);
      const after = await treeOf(one);
      await goTo(one, before);
      expect(one.seen()).toEqual(seen);
      expect(await treeOf(one)).toBe(before);
      await goTo(one, after);
      expect(await treeOf(one)).toBe(after);
    }),
    { numRuns: 15 },
  );
});
