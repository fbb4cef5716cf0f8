import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf, jsonOf } from '../../model/json.ts';
import { readRegularFile } from '../../platform/files.ts';
import { isInRepository } from '../check-protect.ts';
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
    ...(names.includes('.github') ? ['.github/**'] : []),
  ];
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

/** Of the usual runners, by the names that they look for. */
const runnerConfigs =
  /^(?:(?:vitest|jest|playwright|cypress|karma)\.(?:config|conf)\.[cm]?[jt]s|\.mocharc\.\w+|ava\.config\.[cm]?js|pytest\.ini|tox\.ini|conftest\.py|phpunit\.xml|\.rspec)$/;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
