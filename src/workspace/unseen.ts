import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitAtOnce } from './git.ts';

/** Why git sees nothing of what a path stands for, at once; undefined where it does, or there is nothing yet that it could see. */
export function whyUnseen(root: string, path: string): string | undefined {
  const ask = (...args: string[]) => gitAtOnce(root, [...args, '--', path]);
  const names = path.split('/');
  const isInside = names.some((_, at) => existsSync(join(root, ...names.slice(0, at + 1), '.git')));
  const listed = ask('--literal-pathspecs', 'ls-files', '-z', '--stage', '--others', '--exclude-standard');
  if (isInside || /^160000 /.test(listed.stdout)) return 'is in a git repository of its own';
  if (listed.status !== 0 || listed.stdout !== '') return undefined;
  return ask('check-ignore', '--quiet').status === 0 ? 'is ignored by git' : undefined;
}
