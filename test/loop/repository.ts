import { execFileSync } from 'node:child_process';
import type { SessionEntry } from '../../src/model/record.ts';
import type { Project } from './project.ts';

/** Makes a project a repository with one commit. `git` is the user's. */
export function asRepository(project: Project) {
  const env = { PATH: process.env['PATH'], HOME: project.home };
  const identity = ['-c', 'user.name=u', '-c', 'user.email=u@u'];
  const git = (...args: string[]): string =>
    execFileSync('git', [...identity, ...args], { cwd: project.project, encoding: 'utf8', env, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'start', '--allow-empty');
  return { ...project, git };
}

type Made = Extract<SessionEntry, { kind: 'checkpoint.made' }>;

/** None where there is no journal yet. */
export function checkpointsOf(project: Project, session = 's'): Made[] {
  try {
    return project.journal(session).filter((entry): entry is Made => entry.kind === 'checkpoint.made');
  } catch {
    return [];
  }
}
