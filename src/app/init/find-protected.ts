import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf, jsonOf } from '../../model/json.ts';
import { namesIn, readRegularFile } from '../../platform/files.ts';
import { isInRepository } from '../../workspace/repository.ts';
import { whyUnprotected } from '../check-protect.ts';
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
  const folders = testFolders.filter(name => names.includes(name) && isFolder(name));
  const runners = isNode ? runnersIn(join(folder, 'package.json')) : [];
  const files = [
    // npm takes from its settings what runs a script.
    ...sources.flatMap(from =>
      from === 'package.json' ? ['package.json#/scripts', '.npmrc'] : from === 'Makefile' ? [from] : [],
    ),
    ...folders.map(name => `${name}/**`),
    ...testsBeside(folder, new Set(folders)),
    ...runners.flatMap(({ settings }) => settings),
    ...names.filter(name => runnerFiles.test(name) && !isFolder(name) && !runners.some(({ own }) => own.test(name))),
    ...(names.includes('.github') ? ['.github/**'] : []),
  ].filter(path => whyUnprotected(folder, path.split('#')[0]!) === undefined);
  const share = ['node_modules', '.venv'].filter(name => (name === '.venv' ? names.includes(name) : isNode));
  return files.length === 0 ? undefined : { files, share };
}

const testFolders = ['test', 'tests', '__tests__', 'spec', 'e2e'];

/** Files that steer the usual runners, by the names that they look for. */
const runnerFiles =
  /^(?:(?:vitest|vite|jest|playwright|cypress|karma)\.(?:config|conf)\.[cm]?[jt]s|\.mocharc\.\w+|ava\.config\.[cm]?js|pytest\.ini|tox\.ini|conftest\.py|phpunit\.xml|\.rspec)$/;

/** Where a runner that a package names is set up. `own`: files that these cover. */
const nodeRunners = [
  { name: 'vitest', settings: ['vitest.config.*'], own: /^vitest\.config\./ },
  { name: 'jest', settings: ['jest.config.*', 'package.json#/jest'], own: /^jest\.config\./ },
  { name: 'mocha', settings: ['.mocharc.*', 'package.json#/mocha'], own: /^\.mocharc\./ },
  { name: 'ava', settings: ['ava.config.*', 'package.json#/ava'], own: /^ava\.config\./ },
] as const;

/** Those that its scripts call, or that are among what it installs. */
function runnersIn(manifest: string): (typeof nodeRunners)[number][] {
  const read = readRegularFile(manifest, maxManifestBytes);
  const fields = read.kind === 'bytes' ? fieldsOf(jsonOf(read.bytes.toString())) : {};
  const named = [fieldsOf(fields['scripts']), fieldsOf(fields['dependencies']), fieldsOf(fields['devDependencies'])];
  const words = new Set([
    ...named.slice(1).flatMap(Object.keys),
    ...Object.values(named[0]!).flatMap(script => String(script).split(/[\s/;&|]+/)),
    ...Object.keys(fields),
  ]);
  return nodeRunners.filter(({ name }) => words.has(name));
}

const maxManifestBytes = 1024 * 1024;

/** Test files that stand beside what they test, by how their names are made. */
function testsBeside(top: string, folders: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  let looked = 0;
  const visit = (inside: string): void => {
    for (const entry of entriesIn(join(top, inside))) {
      looked += 1;
      if (looked > maxLooked) return;
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isFile()) for (const [pattern, name] of testNames) if (name.test(entry.name)) found.add(pattern);
      if (entry.isDirectory() && !entry.name.startsWith('.') && !notOwn.has(entry.name) && !folders.has(path))
        visit(path);
    }
  };
  visit('');
  return testNames.flatMap(([pattern]) => (found.has(pattern) ? [pattern] : []));
}

const maxLooked = 5000;

const testNames: readonly (readonly [pattern: string, name: RegExp])[] = [
  ['**/*.test.*', /\.test\.\w+$/],
  ['**/*.spec.*', /\.spec\.\w+$/],
  ['**/*_test.go', /_test\.go$/],
  ['**/test_*.py', /^test_.*\.py$/],
  ['**/*_test.py', /_test\.py$/],
];

/** What is in them is not the project's own. */
const notOwn = new Set(['node_modules', 'vendor', 'venv', 'target', 'dist', 'build']);

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
