import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf, jsonOf } from '../../model/json.ts';
import { readRegularFile } from '../../platform/files.ts';
import { isInRepository, whyUnprotected } from '../check-protect.ts';
import type { FoundGate } from './find-gates.ts';
import type { Starter } from './starter-file.ts';

/** What the gates of a project depend on: where they come from, its tests, what steers their runners. undefined: there is no repository, or nothing. */
export function findProtected(folder: string, gates: readonly FoundGate[]): Starter['protect'] {
  if (gates.length === 0 || !isInRepository(folder)) return undefined;
  const names = namesIn(folder);
  const sources = [...new Set(gates.map(({ from }) => from))].filter(from => names.includes(from));
  const isFolder = (name: string): boolean =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
  const files = [
    ...sources.flatMap(from =>
      from === 'package.json' ? ofPackage(join(folder, from)) : from === 'Makefile' ? [from] : [],
    ),
    ...testFolders.filter(name => names.includes(name) && isFolder(name)).map(name => `${name}/**`),
    ...names.filter(name => runnerConfigs.test(name) && !isFolder(name)),
    ...testsBeside(folder),
    ...(names.includes('.github') ? ['.github/**'] : []),
  ].filter(path => whyUnprotected(folder, path.split('#')[0]!) === undefined);
  const share = ['node_modules', '.venv'].filter(name =>
    name === '.venv' ? names.includes(name) : sources.includes('package.json'),
  );
  return files.length === 0 ? undefined : { files, share };
}

/** `.npmrc` can name another shell for the scripts, also where there is none yet. */
function ofPackage(file: string): string[] {
  const read = readRegularFile(file, 1024 * 1024);
  const fields = read.kind === 'bytes' ? fieldsOf(jsonOf(read.bytes.toString())) : {};
  const tools = { ...fieldsOf(fields['dependencies']), ...fieldsOf(fields['devDependencies']) };
  const steering = ['jest', 'mocha', 'ava'].filter(name => name in fields || name in tools);
  return ['scripts', ...steering].map(name => `package.json#/${name}`).concat('.npmrc');
}

const testFolders = ['test', 'tests', '__tests__', 'spec', 'e2e'];

const maxLooked = 5000;
const maxDepth = 8;

/** Tests that stand beside what they test, by how their names are made. */
function testsBeside(folder: string): string[] {
  const found = new Set<string>();
  let looked = 0;
  const visit = (path: string, depth: number): void => {
    for (const entry of depth > maxDepth ? [] : entriesIn(path)) {
      looked += 1;
      if (looked > maxLooked || entry.name.startsWith('.') || others.has(entry.name)) continue;
      if (entry.isDirectory()) visit(join(path, entry.name), depth + 1);
      else for (const [glob, pattern] of testNames) if (pattern.test(entry.name)) found.add(glob);
    }
  };
  visit(folder, 0);
  return testNames.flatMap(([glob]) => (found.has(glob) ? [glob] : []));
}

const testNames: readonly (readonly [string, RegExp])[] = [
  ['**/*.test.*', /\.test\.[cm]?[jt]sx?$/],
  ['**/*.spec.*', /\.spec\.[cm]?[jt]sx?$/],
  ['**/*_test.go', /_test\.go$/],
  ['**/test_*.py', /^test_.*\.py$/],
];

/** What the project itself looks after, and what stands in folders for tests. */
const others: ReadonlySet<string> = new Set([
  'node_modules',
  'vendor',
  'venv',
  'dist',
  'build',
  'target',
  ...testFolders,
]);

/** Of the usual runners, by the names that they look for. */
const runnerConfigs =
  /^(?:(?:vitest|vite|jest|playwright|cypress|karma)\.(?:config|conf)\.[cm]?[jt]s|\.mocharc\.\w+|ava\.config\.[cm]?js|pytest\.ini|tox\.ini|conftest\.py|phpunit\.xml|\.rspec)$/;

const namesIn = (folder: string): string[] =>
  entriesIn(folder)
    .map(({ name }) => name)
    .sort();

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
