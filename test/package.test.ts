import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, temporaryFolder } from './program.ts';

interface Packed {
  filename: string;
  unpackedSize: number;
  files: readonly { path: string }[];
}

const maxUnpackedBytes = 6_000_000;
const folder = temporaryFolder('package');
const [repository, project] = [join(folder, 'repository'), join(folder, 'project')];
let packed: Packed;

/** As a person runs it: without what npm told the process that runs the tests. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name)));
const run = (cwd: string, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });

beforeAll(() => {
  copyRepository();
  const printed = run(repository, 'npm', 'pack', '--json', '--pack-destination', folder);
  packed = (JSON.parse(printed.slice(printed.indexOf('[\n'))) as Packed[])[0]!;
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
  run(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, packed.filename));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Packing builds, and must not pull `dist` away from under other tests. */
function copyRepository(): void {
  mkdirSync(repository);
  const parts = ['src', 'scripts', 'schema', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
  for (const part of [...parts, 'README.md', 'LICENSE', 'CHANGELOG.md'])
    if (existsSync(join(root, part)))
      cpSync(join(root, part), join(repository, part), {
        recursive: true,
        filter: path => !/\/fixtures$|\.test\.ts$/.test(path),
      });
  symlinkSync(join(root, 'node_modules'), join(repository, 'node_modules'));
}

describe('the packed package', () => {
  test('holds the program, the library with its types, the schemas, and nothing else', () => {
    const paths = packed.files.map(({ path }) => path);
    const expected =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|schema\/[a-z-]+\.schema\.json|dist\/bin\/[a-z-]+\.cjs|dist\/lib\/[a-zA-Z0-9/-]+\.(js|d\.ts))$/;
    expect(paths.filter(path => !expected.test(path))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/bin/hookloop.cjs',
        'dist/lib/index.js',
        'dist/lib/index.d.ts',
        'schema/native.schema.json',
      ]),
    );
  });

  test('stays small', () => expect(packed.unpackedSize).toBeLessThan(maxUnpackedBytes));
});

describe('the installed package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  test('has a program that knows its version', () =>
    expect(run(project, 'npx', '--no-install', 'hookloop', '--version')).toBe(`${version}\n`));

  test('dispatches an event', () => {
    writeFileSync(join(project, '.iteratr.hooks.yml'), 'hooks:\n  pre_iteration:\n    - command: echo {{iteration}}\n');
    const command = `echo '{"iteration":3}' | npx --no-install hookloop dispatch pre_iteration`;
    const { event, results } = JSON.parse(run(project, 'sh', '-c', command));
    expect([event, results[0].outcome.stdout]).toEqual(['iteration.starting', '3\n']);
  });

  test('is a library', () => {
    writeFileSync(join(project, 'embed.mjs'), embedding);
    expect(JSON.parse(run(project, process.execPath, 'embed.mjs'))).toEqual({
      decision: 'revise',
      sameModel: true,
      schema: 'hookloop.yaml',
    });
  });

  test('has types that a strict project can use', () => {
    writeFileSync(join(project, 'use.ts'), typedUse);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'));
    expect(run(project, join(root, 'node_modules/.bin/tsc'), ...options, 'use.ts')).toBe('');
  });
});

const embedding = `
import { createRequire } from 'node:module';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createEngine, eventNames, loadHooks } from 'hookloop';
import { eventNames as modelNames } from 'hookloop/model';

mkdirSync('.sauna', { recursive: true });
writeFileSync('.sauna/hooks.json', '["exit 4"]');
const { decision } = await createEngine(loadHooks()).fire({ name: 'task.completing' });
const { title } = createRequire(import.meta.url)('hookloop/schema/native.schema.json');
console.log(JSON.stringify({ decision: decision.kind, sameModel: eventNames === modelNames, schema: title }));
`;

const typedUse = `
import { createEngine, type EventResult, loadHooks } from 'hookloop';
import { decide, type Verdict } from 'hookloop/model';

const verdict: Verdict = { kind: 'passed' };
const result: Promise<EventResult> = createEngine(loadHooks()).fire({ name: 'turn.ended' });
// @ts-expect-error: no such event
createEngine(loadHooks()).fire({ name: 'turn.end' });
void [verdict, result, decide];
`;
