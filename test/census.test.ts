import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root, temporaryFolder } from './program.ts';

const census = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [join(root, 'scripts/census.mjs'), ...args], {
    ...{ encoding: 'utf8', stdio: 'pipe' },
  });

const countsOf = (tree: string): Record<string, unknown> => JSON.parse(census('--json', '--at', tree)).trees[0];

function treeOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder('census');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const small = {
  'src/index.ts': "export { a } from './one/a.ts';\n",
  'src/one/a.ts': "import type { B } from './inner/b.ts';\nimport { c } from '../two/c.ts';\n\nexport const a = c;\n",
  'src/one/inner/b.ts': "import { a } from '../a.ts';\nimport { d } from '../../two/d.ts';\n",
  'src/two/c.ts': "import { readFileSync } from 'node:fs';\nexport const later = () => import('./d.ts');\n".repeat(30),
  'src/two/d.ts': 'export const d = 1;\n',
  'src/two/d.test.ts': "import { d } from './d.ts';\n\n",
  'src/two/fixtures/e.ts': "import { d } from '../d.ts';\n",
  'test/all.test.ts': "import '../src/index.ts';\n",
  'test/program.ts': '\n',
};

test('a small tree is counted as by hand', () => {
  expect(countsOf(treeOf(small))).toMatchObject({
    files: 5,
    lines: 1 + 4 + 2 + 60 + 1,
    medianLines: 2,
    largestFile: { file: 'two/c.ts', lines: 60 },
    // b of a, and c of a; a has two importers, d has b and c, index has none.
    oneImporterFiles: 2,
    filesUnder50Lines: 4,
    folders: 4,
    parts: 2,
    topFiles: 1,
    // . -> one, one -> one/inner, one -> two, one/inner -> one, one/inner -> two
    folderDependencies: 5,
    // index.ts -> one, one -> two
    partDependencies: 2,
    partCycles: [],
    cycles: [['one/a.ts', 'one/inner/b.ts']],
    testFiles: 2,
    testLines: 3,
  });
});

test('parts that import each other are told by name', () => {
  const tree = treeOf({ ...small, 'src/two/d.ts': "import { b } from '../one/inner/b.ts';\n" });
  expect(countsOf(tree)).toMatchObject({ partCycles: [['one', 'two']] });
  expect(census('--at', tree)).toContain(': one, two\n');
});

test('this tree has as many files and lines as find and wc find', () => {
  const script = `find src -name '*.ts' ! -name '*.test.ts' ! -path '*/fixtures/*'`;
  const found = (rest: string): number =>
    Number(execFileSync('sh', ['-c', `${script} ${rest}`], { cwd: root, encoding: 'utf8' }));
  expect(countsOf('.')).toMatchObject({ files: found('| wc -l'), lines: found('-exec cat {} + | wc -l') });
});

test('each way of an event has a name, and a wrong one gets the list of them', () => {
  const wrong = (): string => census('--list', 'nowhere');
  expect(wrong).toThrow(/dispatch-cached, dispatch-cold, tool-call, gate, webhook, serve/);
});

test('the files of a way are those that work, in the order in which they begin', () => {
  const files = census('--list', 'dispatch-cached').trimEnd().split('\n');
  const order = ['bin/hookloop.ts', 'cli/commands/dispatch.ts', 'engine/engine.ts', 'engine/run-hook.ts'];
  expect(files.filter(file => order.includes(file))).toEqual(order);
  expect(files).not.toContain('config/yaml.ts');
});
