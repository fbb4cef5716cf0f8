import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Places } from '../../model/index.ts';
import { findPipelineFiles, loadPipelineFiles } from './find-files.ts';
import { createLook } from './look.ts';

let root: string;
let places: Places;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookloop-pipelines-'));
  places = { root, repo: root, cwd: root, home: root, config: join(root, '.config') };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

const hooked = 'hooks:\n  on_error:\n    - { type: shell, command: "true" }\n';

test('pipelines, loops and stages are found in all their places, each with its scope', () => {
  const scopes = {
    '.hookloop/pipelines/a.yaml': 'pipeline',
    '.hookloop/loops/a.yml': 'stage',
    'pipelines/b.yaml': 'pipeline',
    'pipelines/c/loop.yaml': 'stage',
    'pipelines/c/pipeline.yaml': 'pipeline',
    'loops/d/loop.yaml': 'stage',
    'loops/e.yaml': 'stage',
    'stages/f/stage.yaml': 'stage',
    'scripts/pipelines/g.yml': 'pipeline',
    'scripts/loops/h/loop.yaml': 'stage',
    'scripts/stages/i.yaml': 'stage',
  };
  for (const path of Object.keys(scopes)) write(path, hooked);
  for (const path of ['pipelines/readme.md', 'loops/d/other.yaml', 'loops/d/deep/loop.yaml', 'hooks/x.yaml'])
    write(path, hooked);
  const { found, problems } = findPipelineFiles(places, createLook());
  expect(Object.fromEntries(found.map(({ file, scope }) => [file, scope]))).toEqual(scopes);
  expect(problems).toEqual([]);
});

test('hooks of a pipeline carry its scope and its file', () => {
  write('pipelines/release.yaml', hooked);
  const { hooks, files } = loadPipelineFiles(places, createLook());
  expect(files).toEqual(['pipelines/release.yaml']);
  expect(hooks.map(({ source }) => source)).toEqual([
    { dialect: 'pipelines', scope: 'pipeline', file: 'pipelines/release.yaml', line: 3 },
  ]);
});

test('a file of another program is left aside, however wrong it is', () => {
  write('pipelines/build.yaml', 'stages:\n  - stage: build\n    jobs: [oops]\n');
  write('pipelines/data.yaml', 'a: [1,');
  expect(loadPipelineFiles(places, createLook())).toEqual({ files: [], hooks: [], problems: [] });
});

test('a file that cannot be read is an error in our own folder and a warning elsewhere', () => {
  for (const folder of ['.hookloop/pipelines', 'pipelines']) write(`${folder}/a.yaml`, 'hooks:\0');
  mkdirSync(join(root, 'loops'));
  symlinkSync('loop.yaml', join(root, 'loops/loop.yaml'));
  const { problems } = loadPipelineFiles(places, createLook());
  expect(problems.map(({ severity, at }) => [severity, at.file])).toEqual([
    ['error', '.hookloop/pipelines/a.yaml'],
    ['warning', 'pipelines/a.yaml'],
    ['warning', 'loops/loop.yaml'],
  ]);
});

test('nothing is found where there is nothing', () => {
  expect(loadPipelineFiles(places, createLook())).toEqual({ files: [], hooks: [], problems: [] });
});
