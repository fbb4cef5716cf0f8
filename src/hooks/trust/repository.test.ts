import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { repositoryOf } from './trust-store.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-repository-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
});

const git = (cwd: string, ...args: readonly string[]): void => {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'ignore' });
};

function createRepository(name: string): string {
  const root = join(base, name);
  mkdirSync(root);
  git(root, 'init', '-q');
  git(root, 'commit', '-q', '--allow-empty', '-m', 'x');
  return root;
}

function addWorktree(root: string, name: string): string {
  git(root, 'worktree', 'add', '-q', join(base, name));
  return join(base, name);
}

describe('a repository is', () => {
  test('the git folder of a plain checkout', () => {
    const root = createRepository('main');
    expect(repositoryOf(root)).toEqual({ key: join(root, '.git'), root });
  });

  test('the same for all its worktrees, also through links', () => {
    const root = createRepository('main');
    const worktree = addWorktree(root, 'tree');
    symlinkSync(worktree, join(base, 'link'));
    for (const place of [worktree, join(base, 'link')])
      expect(repositoryOf(place)).toEqual({ key: join(root, '.git'), root: worktree });
  });

  test('the bare folder of worktrees without a checkout', () => {
    git(createRepository('main'), 'clone', '-q', '--bare', '.', join(base, 'bare.git'));
    expect(repositoryOf(addWorktree(join(base, 'bare.git'), 'tree')).key).toBe(join(base, 'bare.git'));
  });

  test('the root itself where there is no git, and for submodules and folders that are gone', () => {
    const root = createRepository('main');
    git(root, 'submodule', 'add', '-q', createRepository('inner'), 'sub');
    for (const place of [base, join(root, 'sub'), join(base, 'gone')]) expect(repositoryOf(place).key).toBe(place);
  });
});

describe('a project cannot claim the repository of another one', () => {
  const claims: [string, (own: string, trusted: string, tree: string) => void][] = [
    ['a file that points to its git folder', (own, trusted) => point(own, join(trusted, '.git'))],
    ['a file that points to a worktree of it', (own, _trusted, tree) => cpSync(join(tree, '.git'), join(own, '.git'))],
    ['a link to its git folder', (own, trusted) => symlinkSync(join(trusted, '.git'), join(own, '.git'))],
    [
      'a git folder that borrows from it',
      (own, trusted) => {
        mkdirSync(join(own, '.git'));
        writeFileSync(join(own, '.git/commondir'), join(trusted, '.git'));
        writeFileSync(join(own, '.git/gitdir'), join(own, '.git'));
      },
    ],
    [
      'a worktree entry of its own making',
      (own, trusted) => {
        mkdirSync(join(own, 'worktrees/x'), { recursive: true });
        writeFileSync(join(own, 'worktrees/x/commondir'), join(trusted, '.git'));
        writeFileSync(join(own, 'worktrees/x/gitdir'), join(own, '.git'));
        point(own, join(own, 'worktrees/x'));
      },
    ],
    [
      'a link to a worktree entry',
      (own, trusted, tree) => {
        const entry = /gitdir: (.+)/.exec(readFileSync(join(tree, '.git'), 'utf8'))![1]!;
        symlinkSync(entry, join(own, 'entry'));
        point(own, 'entry');
        expect(trusted).not.toBe(own);
      },
    ],
  ];

  test.each(claims)('by %s', (_title, claim) => {
    const trusted = createRepository('trusted');
    const tree = addWorktree(trusted, 'tree');
    const own = join(base, 'own');
    mkdirSync(own);
    claim(own, trusted, tree);
    expect(repositoryOf(own)).toEqual({ key: own, root: own });
  });
});

const point = (own: string, folder: string): void => writeFileSync(join(own, '.git'), `gitdir: ${folder}\n`);
