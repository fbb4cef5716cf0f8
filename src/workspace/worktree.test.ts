import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testRepository } from './fixtures/repository.ts';
import { captureTree } from './tree.ts';
import { addWorktree, removeWorktree } from './worktree.ts';

async function changedRepository() {
  const one = testRepository();
  one.write('file', 'first');
  one.commit();
  one.write('file', 'second');
  one.write('new', 'n');
  const captured = await captureTree(one.root, one);
  if (captured.kind !== 'tree') throw new Error(captured.why);
  return { ...one, tree: captured.tree, place: join(one.folder, 'elsewhere', 'tree') };
}

test('a worktree has the files of a tree, and leaves nothing behind when it is removed', async () => {
  const { root, env, seen, tree, place, git, gitIn } = await changedRepository();
  const before = seen();
  expect(await addWorktree(root, tree, place, { env })).toBeUndefined();
  expect(readFileSync(join(place, 'file'), 'utf8')).toBe('second');
  expect(gitIn(place, 'status', '--porcelain')).toBe('');
  writeFileSync(join(place, 'file'), 'third');
  git('worktree', 'lock', place);
  expect(await removeWorktree(root, place, { env })).toBeUndefined();
  expect(existsSync(place)).toBe(false);
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(seen()).toEqual(before);
});

test('a worktree at a commit shows what of the tree is not in it', async () => {
  const { root, env, tree, place, git, gitIn } = await changedRepository();
  const head = git('rev-parse', 'HEAD').trim();
  expect(await addWorktree(root, tree, place, { env, head })).toBeUndefined();
  expect(gitIn(place, 'rev-parse', 'HEAD').trim()).toBe(head);
  expect(gitIn(place, 'status', '--porcelain')).toBe(' M file\n?? new\n');
});

test('a worktree that cannot be made says why and leaves nothing', async () => {
  const { root, env, place, git } = await changedRepository();
  expect(await addWorktree(root, '0123456789012345678901234567890123456789', place, { env })).toContain('0123456789');
  expect(existsSync(place)).toBe(false);
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});

test('a worktree whose folder someone has removed is forgotten', async () => {
  const { root, env, tree, place, git } = await changedRepository();
  await addWorktree(root, tree, place, { env });
  expect(await removeWorktree(root, join(place, '..'), { env })).toBeUndefined();
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});
