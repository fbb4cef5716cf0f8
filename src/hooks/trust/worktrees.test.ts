import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeHooks, createWorld, type World } from './fixtures/project.ts';

const git = (world: World, ...args: readonly string[]): void => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...identity, ...args], { cwd: world.project, stdio: 'ignore' });
};

function twoWorktrees(): { world: World; tree: string } {
  const world = createWorld();
  rmSync(join(world.project, '.git'), { recursive: true });
  world.write('.claude/settings.json', claudeHooks);
  world.write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\n', 0o755);
  world.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  git(world, 'init', '-q');
  git(world, 'add', '.');
  git(world, 'commit', '-q', '-m', 'x');
  git(world, 'worktree', 'add', '-q', join(world.base, 'tree'));
  return { world, tree: join(world.base, 'tree') };
}

test('what is trusted in one worktree is trusted in all of them', async () => {
  const { world, tree } = twoWorktrees();
  expect(world.ask('tool.calling', tree).refusal).toContain('not trusted yet');
  await world.trust(['--yes']);
  expect(world.ask('tool.calling', tree).hooks).toHaveLength(2);
});

test('a gate that is deleted in another worktree refuses there', async () => {
  const { world, tree } = twoWorktrees();
  await world.trust(['--yes']);
  rmSync(join(tree, '.claude'), { recursive: true });
  expect(world.ask('tool.calling', tree).refusal).toContain('gone since they were trusted');
  expect(world.ask('tool.calling').refusal).toBeUndefined();
});
