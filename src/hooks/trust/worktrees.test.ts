import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeHooks, createSandbox, type Sandbox } from './fixtures/sandbox.ts';

const git = (sandbox: Sandbox, ...args: readonly string[]): void => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...identity, ...args], { cwd: sandbox.project, stdio: 'ignore' });
};

function twoWorktrees(): { sandbox: Sandbox; tree: string } {
  const sandbox = createSandbox();
  rmSync(join(sandbox.project, '.git'), { recursive: true });
  sandbox.write('.claude/settings.json', claudeHooks);
  sandbox.write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\n', 0o755);
  sandbox.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  git(sandbox, 'init', '-q');
  git(sandbox, 'add', '.');
  git(sandbox, 'commit', '-q', '-m', 'x');
  git(sandbox, 'worktree', 'add', '-q', join(sandbox.base, 'tree'));
  return { sandbox, tree: join(sandbox.base, 'tree') };
}

test('what is trusted in one worktree is trusted in all of them', async () => {
  const { sandbox, tree } = twoWorktrees();
  expect(sandbox.ask('tool.calling', tree).refusal).toContain('not trusted yet');
  await sandbox.trust(['--yes']);
  expect(sandbox.ask('tool.calling', tree).hooks).toHaveLength(2);
});

test('a gate that is deleted in another worktree refuses there', async () => {
  const { sandbox, tree } = twoWorktrees();
  await sandbox.trust(['--yes']);
  rmSync(join(tree, '.claude'), { recursive: true });
  expect(sandbox.ask('tool.calling', tree).refusal).toContain('gone since they were trusted');
  expect(sandbox.ask('tool.calling').refusal).toBeUndefined();
});
