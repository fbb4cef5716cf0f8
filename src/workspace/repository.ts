import { existsSync, lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { realPath, withFoldersAbove } from '../platform/folders.ts';
import { type GitAnswer, type GitCall, git, gitAtOnce } from './git.ts';

/** Where a working tree and what git keeps about it stand. */
export interface Repository {
  /** The folder at its top. */
  top: string;
  /** The user's own index; mostly there. */
  index: string;
  /** Ignore rules that are in no commit. */
  excludes: string;
  /** What all worktrees of the repository share. */
  commonFolder: string;
}

type Found =
  | { kind: 'repository'; repository: Repository }
  /** There is none here. */
  | { kind: 'none'; why: string }
  /** Git is missing or did not answer. */
  | { kind: 'failed'; why: string };

/** The repository whose working tree a folder belongs to. */
export async function findRepository(folder: string, call: GitCall = {}): Promise<Found> {
  const asked = ['--show-toplevel', '--git-path', 'index', '--git-path', 'info/exclude', '--git-common-dir'];
  const answer = await git(folder, ['rev-parse', '--path-format=absolute', ...asked], call);
  if (answer.kind === 'refused') return { kind: 'none', why: answer.why };
  if (answer.kind === 'failed') return answer;
  const [top, index, excludes, commonFolder, more] = answer.text.split('\n');
  if (!top || !index || !excludes || !commonFolder || more !== undefined)
    return { kind: 'failed', why: 'a folder above has a line break in its name' };
  return { kind: 'repository', repository: { top, index, excludes, commonFolder } };
}

/** Whether a folder above is the top of a repository, or of one of its worktrees: without git, and at once. */
export const isInRepository = (folder: string): boolean =>
  withFoldersAbove(folder).some(one => {
    const path = join(one, '.git');
    return existsSync(join(path, 'HEAD')) || lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  });

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

/** What stands before the paths of a project in those of its repository: nothing, or a folder with a slash at its end. */
export function prefixIn(top: string, root: string): string {
  const inside = relative(realPath(top), realPath(root));
  return inside === '' ? '' : `${inside}/`;
}

/** What HEAD is: the branch's full name where it is on one, the commit where there is one. */
export interface Head {
  branch?: string;
  commit?: string;
}

export async function readHead(folder: string, call: GitCall = {}): Promise<Head> {
  const both = await git(folder, ['rev-parse', 'HEAD^{commit}', '--symbolic-full-name', 'HEAD'], call);
  if (both.kind === 'done') {
    const [commit, branch] = both.text.split('\n');
    return { ...(branch && branch !== 'HEAD' && { branch }), ...(commit && { commit }) };
  }
  // A branch without a commit.
  const branch = await git(folder, ['symbolic-ref', '--quiet', 'HEAD'], call);
  return branch.kind === 'done' ? { branch: branch.text } : {};
}

/** In words, why git did not do it; undefined where it did. */
export const whyNot = (answer: GitAnswer): string | undefined => (answer.kind === 'done' ? undefined : answer.why);
