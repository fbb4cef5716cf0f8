import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn, readRegularFile } from '../../platform/files.ts';
import { isInRepository } from '../check-protect.ts';
import type { FoundGate } from './find-gates.ts';
import type { Starter } from './starter-file.ts';

/**
 * What the gates of a project depend on: where they come from, its tests, what steers their runners, also where that is not
 * there yet. undefined: there is no repository, or nothing.
 */
export function findProtected(folder: string, gates: readonly FoundGate[]): Starter['protect'] {
  if (gates.length === 0 || !isInRepository(folder)) return undefined;
  const names = namesIn(folder).sort();
  const sources = [...new Set(gates.map(({ from }) => from))].filter(from => names.includes(from));
  const isFolder = (name: string): boolean =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
  const isNode = sources.includes('package.json');
  const runners = isNode ? runnersIn(join(folder, 'package.json')) : [];
  const folders = testFolders.filter(name => names.includes(name) && isFolder(name));
  const patterns = [...folders.map(name => `${name}/**`), ...testFilesIn(folder, new Set(folders))];
  const configs = runners.flatMap(({ configs: own }) => own);
  const files = [
    ...sources.flatMap(from => (from === 'package.json' ? nodeParts : from === 'Makefile' ? [from] : [])),
    ...patterns,
    ...configs,
    ...names.filter(name => runnerConfigs.test(name) && !isFolder(name) && !runners.some(({ own }) => own.test(name))),
    ...(names.includes('.github') ? ['.github/**'] : []),
  ];
  const share = ['node_modules', '.venv'].filter(name => (name === '.venv' ? names.includes(name) : isNode));
  return files.length === 0 ? undefined : { files, share };
}

/** npm takes from its settings what runs a script. */
const nodeParts = ['package.json#/scripts', '.npmrc'];

const testFolders = ['test', 'tests', '__tests__', 'spec', 'e2e'];

/** Test files beside what they test. */
const testFiles: readonly (readonly [pattern: string, name: RegExp])[] = [
  ['**/*.test.*', /\.test\.\w+$/],
  ['**/*.spec.*', /\.spec\.\w+$/],
  ['**/*_test.go', /_test\.go$/],
  ['**/test_*.py', /^test_.*\.py$/],
  ['**/*_test.py', /_test\.py$/],
];

/** Of the usual runners, by the names that they look for. */
const runnerConfigs =
  /^(?:(?:vitest|jest|playwright|cypress|karma)\.(?:config|conf)\.[cm]?[jt]s|\.mocharc\.\w+|ava\.config\.[cm]?js|pytest\.ini|tox\.ini|conftest\.py|phpunit\.xml|\.rspec)$/;

/** Where a runner that a package names is set up. `own`: files of it that a pattern has. */
const nodeRunners = [
  { name: 'vitest', configs: ['vitest.config.*'], own: /^vitest\.config\./ },
  { name: 'jest', configs: ['jest.config.*', 'package.json#/jest'], own: /^jest\.config\./ },
  { name: 'mocha', configs: ['.mocharc.*', 'package.json#/mocha'], own: /^\.mocharc\./ },
  { name: 'ava', configs: ['ava.config.*', 'package.json#/ava'], own: /^ava\.config\./ },
] as const;

function runnersIn(manifest: string): (typeof nodeRunners)[number][] {
  const found = readRegularFile(manifest, maxManifestBytes);
  const text = found.kind === 'bytes' ? found.bytes.toString() : '';
  return nodeRunners.filter(({ name }) => new RegExp(`["\\s/]${name}["\\s]`).test(text));
}

const maxManifestBytes = 1024 * 1024;

const maxLooked = 5000;
/** What is in them is not the project's own. */
const notOwn = new Set(['node_modules', 'vendor', 'target', 'dist', 'build']);

/** The patterns of test files that lie elsewhere than in folders of tests. */
function testFilesIn(top: string, folders: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  let looked = 0;
  const visit = (inside: string): void => {
    for (const entry of entriesIn(join(top, inside))) {
      looked += 1;
      if (looked > maxLooked) return;
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isFile()) for (const [pattern, name] of testFiles) if (name.test(entry.name)) found.add(pattern);
      if (entry.isDirectory() && !entry.name.startsWith('.') && !notOwn.has(entry.name) && !folders.has(path))
        visit(path);
    }
  };
  visit('');
  return testFiles.flatMap(([pattern]) => (found.has(pattern) ? [pattern] : []));
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
