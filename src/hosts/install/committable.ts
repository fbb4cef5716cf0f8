import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether git would commit a file of the project. Contract: never throws; false where there is no repository, or no git. */
export function isCommittable(file: string, root: string, env: Env): boolean {
  if (!isInRepository(root)) return false;
  // A repository's own settings may name a program that git runs.
  const args = ['-c', 'core.fsmonitor=false', 'check-ignore', '--quiet', '--', file];
  const { status } = spawnSync('git', args, { cwd: root, env: ownEnvironment(env), stdio: 'ignore', timeout: 5000 });
  return status === notIgnored;
}

const notIgnored = 1;

const isInRepository = (folder: string): boolean =>
  existsSync(join(folder, '.git')) || (dirname(folder) !== folder && isInRepository(dirname(folder)));

/** Started from a git hook we would otherwise ask another repository. */
function ownEnvironment(env: Env): Env {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX, ...rest } = env;
  return { ...rest, GIT_OPTIONAL_LOCKS: '0' };
}
