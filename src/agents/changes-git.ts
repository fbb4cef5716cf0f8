import { execFile } from 'node:child_process';
import { isQuietPath, type Listing, type Signature, signatureOf } from './changes-listing.ts';

export interface Repository {
  list(): Promise<Listing>;
  /** Files under the root in which two commits differ. */
  between(before: string | undefined, after: string | undefined): Promise<readonly string[]>;
}

/** The repository around a folder; undefined where there is none, or no git. */
export async function openRepository(root: string): Promise<Repository | undefined> {
  const prefix = await git(root, ['rev-parse', '--show-prefix']);
  if (prefix === undefined) return undefined;
  const inRoot = (path: string): string[] => {
    const from = prefix.replace(/\n$/, '');
    const inside = path.startsWith(from) ? path.slice(from.length) : '';
    return inside === '' || inside.endsWith('/') || isQuietPath(inside) ? [] : [inside];
  };
  return {
    async list() {
      const status = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames', '--', '.'];
      const text = await git(root, status);
      if (text === undefined) return { files: new Map(), isWhole: false };
      const fields = text.split('\0');
      const head = fields.find(field => field.startsWith('# branch.oid '))?.slice('# branch.oid '.length);
      const files = new Map<string, Signature>();
      for (const path of fields.flatMap(changedPath).flatMap(inRoot)) files.set(path, signatureOf(root, path));
      return { files, isWhole: true, ...(head && /^[0-9a-f]+$/.test(head) && { head }) };
    },
    async between(before, after) {
      if (before === after || before === undefined || after === undefined) return [];
      const text = await git(root, ['diff', '--name-only', '--no-renames', '-z', before, after, '--', '.']);
      return (text ?? '').split('\0').flatMap(inRoot);
    },
  };
}

/** `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`, `? path`. */
function changedPath(field: string): string[] {
  const spaces = { '1': 8, u: 10, '?': 1 }[field[0] ?? ''];
  if (spaces === undefined || field[1] !== ' ') return [];
  let at = 0;
  for (let passed = 0; passed < spaces; passed += 1) at = field.indexOf(' ', at) + 1;
  return [field.slice(at)];
}

const maxOutputBytes = 64 * 1024 * 1024;

/** Contract: never rejects; undefined where git is missing or says no. */
const git = (cwd: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise(resolve => {
    const options = { cwd, env: ownEnvironment(), maxBuffer: maxOutputBytes, timeout: 30_000 };
    execFile('git', args, options, (error, stdout) => resolve(error ? undefined : stdout));
  });

/** Started from a git hook we would otherwise look at another repository; and the agent's own git must not find the index locked. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX, ...env } = process.env;
  return { ...env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
}
