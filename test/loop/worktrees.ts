import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import type { Project } from './project.ts';

/** Runs git in a project, as someone who has a name. */
export const gitIn = (project: Project, ...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd: project.project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env['PATH'], HOME: project.home, GIT_CONFIG_NOSYSTEM: '1' },
      ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.org' },
      ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.org' },
    },
  });

/** Makes a repository of the project, with everything in its first commit. */
export function commitAll(project: Project): void {
  gitIn(project, 'init', '--quiet', '--initial-branch=main');
  gitIn(project, 'add', '--all');
  gitIn(project, 'commit', '--quiet', '-m', 'first');
}

/** Worktrees that were not removed: those git knows, and what lies in their folder. */
export function leftWorktrees(project: Project): string[] {
  const known = gitIn(project, 'worktree', 'list', '--porcelain')
    .split('\n')
    .filter(line => line.startsWith('worktree '));
  const folder = project.pathOf('~/.local/state/hookloop/worktrees');
  const folders = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : [];
  return [...known.slice(1), ...folders.filter(name => name.includes('/'))];
}
