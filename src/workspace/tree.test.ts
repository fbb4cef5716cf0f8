import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedBetween } from './changed.ts';
import { type TestRepository, testRepository } from './fixtures/repository.ts';
import { captureTree } from './tree.ts';

async function treeOf({ root, index, env }: TestRepository, more = {}): Promise<string> {
  const captured = await captureTree(root, { index, env, ...more });
  if (captured.kind !== 'tree') throw new Error(captured.why);
  return captured.tree;
}

const names = (repository: TestRepository, tree: string): string[] =>
  repository.git('ls-tree', '-r', '--name-only', '-z', tree).split('\0').filter(Boolean);
const rows = (repository: TestRepository, tree: string): string[] =>
  repository.git('ls-tree', '-r', '--format=%(objectmode) %(path)', tree).split('\n').filter(Boolean);
const textOf = (repository: TestRepository, tree: string, path: string): string =>
  repository.git('cat-file', 'blob', `${tree}:${path}`);

describe('a tree', () => {
  test('has what is tracked, changed and new, and not what is ignored or gone', async () => {
    const one = testRepository();
    for (const name of ['kept', 'changed', 'gone']) one.write(name, name);
    one.write('.gitignore', 'ignored\nnode_modules/\n');
    one.commit();
    one.write('changed', 'anew');
    one.write('new folder/new', 'n');
    one.write('ignored', 'i');
    one.write('node_modules/x/index.js', 'x');
    rmSync(join(one.root, 'gone'));
    const tree = await treeOf(one);
    expect(names(one, tree)).toEqual(['.gitignore', 'changed', 'kept', 'new folder/new']);
    expect(textOf(one, tree, 'changed')).toBe('anew');
  });

  test('is what stands in the files, whatever is staged', async () => {
    const one = testRepository();
    one.write('file', 'first');
    one.commit();
    one.write('file', 'staged');
    one.git('add', 'file');
    one.write('file', 'in the folder');
    one.write('intended', 'all of it');
    one.git('add', '--intent-to-add', 'intended');
    const before = one.seen();
    const tree = await treeOf(one);
    expect(textOf(one, tree, 'file')).toBe('in the folder');
    expect(textOf(one, tree, 'intended')).toBe('all of it');
    expect(one.seen()).toEqual(before);
  });

  test('keeps links, modes and names of any bytes', async () => {
    const one = testRepository();
    one.write('run.sh', '#!/bin/sh\n', 0o755);
    symlinkSync('nowhere', join(one.root, 'link'));
    one.write('line\nbreak "quoted"', 'l');
    one.write(Buffer.from([0xff, 0xfe, 0x41]), 'bytes');
    const tree = await treeOf(one);
    expect(rows(one, tree)).toEqual([
      String.raw`100644 "line\nbreak \"quoted\""`,
      '120000 link',
      '100755 run.sh',
      String.raw`100644 "\377\376A"`,
    ]);
    one.write(Buffer.from([0xff, 0xfe, 0x41]), 'other');
    const changed = await changedBetween(one.root, tree, await treeOf(one), one);
    expect(changed).toMatchObject({ kind: 'changes', changes: [{ kind: 'changed', path: '��A' }] });
  });

  test('of a repository without a commit, or without any file, is whole', async () => {
    const one = testRepository();
    expect(names(one, await treeOf(one))).toEqual([]);
    one.write('first', '1');
    expect(names(one, await treeOf(one))).toEqual(['first']);
  });

  test('has submodules and repositories inside as the commits they are at, and goes on past one without a commit', async () => {
    const one = testRepository();
    one.write('file', 'f');
    for (const name of ['inner', 'unborn']) {
      mkdirSync(join(one.root, name));
      one.gitIn(join(one.root, name), 'init', '-q');
      one.write(`${name}/text`, 't');
    }
    one.gitIn(join(one.root, 'inner'), 'add', '-A');
    one.gitIn(join(one.root, 'inner'), 'commit', '-qm', 'inner');
    const captured = await captureTree(one.root, one);
    expect(captured).toMatchObject({ kind: 'tree', left: expect.stringContaining('unborn') });
    expect(rows(one, (captured as { tree: string }).tree)).toEqual(['100644 file', '160000 inner']);
  });

  test('has a submodule as the commit that is checked out in it, whatever else is changed there, and leaves it alone', async () => {
    const [one, other] = [testRepository(), testRepository()];
    other.write('lib', '1');
    other.commit();
    one.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.root, 'sub');
    one.commit();
    const sub = join(one.root, 'sub');
    const commitIn = (tree: string): string => one.git('rev-parse', `${tree}:sub`).trim();
    const [first, head] = [await treeOf(one), one.gitIn(sub, 'rev-parse', 'HEAD').trim()];
    expect([rows(one, first), commitIn(first)]).toEqual([['100644 .gitmodules', '160000 sub'], head]);
    one.write('sub/lib', 'dirty');
    one.write('sub/new', 'untracked');
    const before = [one.seen(), one.gitIn(sub, 'status', '--porcelain')];
    expect(await treeOf(one)).toBe(first);
    expect([one.seen(), one.gitIn(sub, 'status', '--porcelain')]).toEqual(before);
    one.gitIn(sub, 'add', '-A');
    one.gitIn(sub, 'commit', '-qm', 'more');
    const moved = await treeOf(one);
    expect(commitIn(moved)).toBe(one.gitIn(sub, 'rev-parse', 'HEAD').trim());
    expect(one.git('status', '--porcelain')).toBe(' M sub\n');
  });

  test('leaves out folders of sessions, also where no one ignores them', async () => {
    const one = testRepository();
    one.write('.hookloop/sessions/one/journal.jsonl', '{}');
    one.write('.hookloop/hooks/check.sh', 'true');
    one.write('packages/a/.hookloop/sessions/two/journal.jsonl', '{}');
    expect(names(one, await treeOf(one))).toEqual(['.hookloop/hooks/check.sh']);
  });

  test('taken in a folder of the repository is the whole one', async () => {
    const one = testRepository();
    one.write('a/x', 'x');
    one.write('b/y', 'y');
    expect(names(one, await treeOf(one, {}))).toEqual(['a/x', 'b/y']);
    const inside = await captureTree(join(one.root, 'a'), { ...one, index: `${one.index}-2` });
    expect(inside).toEqual({ kind: 'tree', tree: await treeOf(one) });
  });

  test('of a sparse checkout has what is not checked out as it was', async () => {
    const one = testRepository();
    one.write('in/x', 'x');
    one.write('out/y', 'y');
    one.commit();
    one.git('sparse-checkout', 'set', 'in');
    expect(existsSync(join(one.root, 'out/y'))).toBe(false);
    expect(names(one, await treeOf(one))).toEqual(['in/x', 'out/y']);
  });

  test('in the middle of a merge has the files with their conflict marks', async () => {
    const one = testRepository();
    one.write('file', 'base\n');
    one.commit();
    one.git('checkout', '-qb', 'other');
    one.write('file', 'theirs\n');
    one.commit();
    one.git('checkout', '-q', 'main');
    one.write('file', 'ours\n');
    one.commit();
    expect(() => one.git('merge', 'other')).toThrow();
    const before = one.seen();
    expect(textOf(one, await treeOf(one), 'file')).toContain('<<<<<<<');
    expect(one.seen()).toEqual(before);
  });

  test('follows line end and mode settings, and filters that are set up', async () => {
    const one = testRepository();
    one.git('config', 'core.autocrlf', 'true');
    one.git('config', 'core.fileMode', 'false');
    one.git('config', 'filter.upper.clean', 'tr a-z A-Z');
    one.write('.gitattributes', '*.up filter=upper\n');
    one.write('text', 'a\r\nb\r\n');
    one.write('x.up', 'loud');
    one.commit();
    one.git('config', 'core.safecrlf', 'true');
    one.write('mixed', 'a\r\nc\n');
    one.write('text', 'a\r\nc\r\n');
    one.write('x.up', 'louder');
    chmodSync(join(one.root, 'text'), 0o755);
    const tree = await treeOf(one);
    expect(textOf(one, tree, 'text')).toBe('a\nc\n');
    expect(textOf(one, tree, 'x.up')).toBe('LOUDER');
    expect(rows(one, tree)).toContain('100644 text');
  });
});

describe('the private index', () => {
  test('lets go of a file that was new and is ignored since, and takes one that was ignored and is added by force', async () => {
    const one = testRepository();
    one.write('made', 'm');
    expect(names(one, await treeOf(one))).toEqual(['made']);
    one.write('.gitignore', 'made\nsecret\n');
    one.write('secret', 's');
    expect(names(one, await treeOf(one))).toEqual(['.gitignore']);
    one.git('add', '--force', 'secret');
    expect(names(one, await treeOf(one))).toEqual(['.gitignore', 'secret']);
  });

  test('sees a change of the same length in the moment the user index was written', async () => {
    const one = testRepository();
    for (let round = 0; round < 5; round += 1) {
      one.write('file', `a${round}`);
      one.git('add', 'file');
      one.write('file', `b${round}`);
      expect(textOf(one, await treeOf(one), 'file')).toBe(`b${round}`);
    }
  });

  test('whose user was killed is used again, and a broken one is made anew', async () => {
    const one = testRepository();
    one.write('file', 'f');
    const tree = await treeOf(one);
    writeFileSync(`${one.index}.lock`, '');
    expect(await treeOf(one)).toBe(tree);
    one.write('file', 'g');
    writeFileSync(one.index, 'nonsense');
    expect(await captureTree(one.root, one)).toMatchObject({ kind: 'tree' });
  });
});

test('no repository is said, and so is no git', async () => {
  const one = testRepository();
  rmSync(join(one.root, '.git'), { recursive: true });
  const env = { ...one.env, GIT_CEILING_DIRECTORIES: one.folder };
  expect(await captureTree(one.root, { ...one, env })).toMatchObject({ kind: 'none' });
  const none = await captureTree(one.root, { ...one, env: { PATH: '/nowhere' } });
  expect(none).toEqual({ kind: 'failed', why: expect.stringContaining('git cannot be started') });
});

test('a git that hangs is given up soon after a stop', async () => {
  const one = testRepository();
  mkdirSync(join(one.folder, 'bin'));
  writeFileSync(join(one.folder, 'bin/git'), '#!/bin/sh\nsleep 600 & wait\n', { mode: 0o755 });
  const env = { ...one.env, PATH: `${join(one.folder, 'bin')}:${one.env.PATH}` };
  const stop = new AbortController();
  const captured = captureTree(one.root, { ...one, env, stop: stop.signal });
  const from = Date.now();
  stop.abort();
  expect(await captured).toEqual({ kind: 'failed', why: 'git rev-parse was stopped' });
  expect(Date.now() - from).toBeLessThan(2000);
  expect(await captureTree(one.root, { ...one, env, timeoutMs: 100 })).toEqual({
    kind: 'failed',
    why: 'git rev-parse took longer than 0.1 s',
  });
});

describe('whatever a repository is like', () => {
  const name = fc.constantFrom(
    'a',
    'b.txt',
    'dir/c',
    'dir/deep/d',
    'ä ö',
    '-n',
    'line\nbreak',
    '"q"',
    'nested',
    ':(top)x',
    '*',
    'ig/e',
  );
  const step = fc.record({
    deed: fc.constantFrom(
      'write',
      'write',
      'stage',
      'intend',
      'remove',
      'unstage',
      'rename',
      'run',
      'link',
      'commit',
      'ignore',
      'nest',
      'stash',
    ),
    name,
    text: fc.constantFrom('one\n', 'two\n', ''),
  });

  test('nothing the user sees of it changes, and the tree is the one git itself would make', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async steps => {
        const one = testRepository();
        for (const each of steps) {
          perform(one, each);
          if (each.text === '') await treeOf(one);
        }
        const before = one.seen();
        const tree = await treeOf(one);
        expect(one.seen()).toEqual(before);
        expect(tree).toBe(await treeOf(one, { index: `${one.index}-fresh` }));
        one.git('add', '-A');
        expect(one.git('write-tree').trim()).toBe(tree);
      }),
      { numRuns: 30 },
    );
  });
});

/** Does something to a repository, or nothing where it cannot be done. */
function perform(one: TestRepository, { deed, name, text }: { deed: string; name: string; text: string }): void {
  const file = join(one.root, name);
  const does: Record<string, () => void> = {
    write: () => one.write(name, text),
    stage: () => one.git('--literal-pathspecs', 'add', '--', name),
    intend: () => one.git('--literal-pathspecs', 'add', '--intent-to-add', '--', name),
    remove: () => rmSync(file),
    unstage: () => one.git('--literal-pathspecs', 'rm', '--cached', '-q', '--', name),
    rename: () => renameSync(file, join(one.root, 'renamed')),
    run: () => chmodSync(file, readFileSync(file).length > 0 ? 0o755 : 0o644),
    link: () => symlinkSync(text || 'nowhere', file),
    commit: () => one.git('commit', '-qm', 'more'),
    ignore: () => one.write('.gitignore', `ig/\n${text}`),
    stash: () => one.git('stash'),
    nest: () => {
      mkdirSync(join(one.root, 'nested'));
      one.gitIn(join(one.root, 'nested'), 'init', '-q');
      one.write('nested/file', text);
      one.gitIn(join(one.root, 'nested'), 'add', '-A');
      one.gitIn(join(one.root, 'nested'), 'commit', '-qm', 'nested');
    },
  };
  try {
    does[deed]!();
  } catch {
    // There is no such file, or nothing to commit.
  }
}
