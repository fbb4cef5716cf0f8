import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, onTestFinished } from 'vitest';
import { startStoreProcess } from '../../../test/contracts/session-store/process.ts';
import type { StoreWorld } from '../../../test/contracts/session-store/world.ts';
import { testSessionStore } from '../../../test/contracts/session-store.ts';
import { sessionFiles } from '../paths.ts';
import { createFileStore } from './file-store.ts';

const bundles = mkdtempSync(join(tmpdir(), 'hookloop-store-bundle-'));
afterAll(() => rmSync(bundles, { recursive: true, force: true }));
const program = join(bundles, 'store-process.mjs');
await build({
  ...{ entryPoints: [fileURLToPath(new URL('fixtures/store-process.ts', import.meta.url))], outfile: program },
  ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20.19' },
});

testSessionStore({
  name: 'files',
  create() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-store-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ['project', 'state']) mkdirSync(join(folder, name));
    return worldIn(folder, 'project');
  },
});

function worldIn(folder: string, project: string): StoreWorld {
  const [root, state, cache] = [project, 'state', 'cache'].map(name => join(folder, name)) as [string, string, string];
  const inSession = (name: string, file: string): string => join(sessionFiles(root, name).folder, file);
  return {
    root,
    store: createFileStore({ root, state, cache, approvals: join(folder, 'approvals') }),
    start: ({ heapMb } = { heapMb: 512 }) =>
      startStoreProcess([process.execPath, `--max-old-space-size=${heapMb}`, program, root, state, cache]),
    forgetHolder(name) {
      const locks = readdirSync(sessionFiles(root, name).folder).filter(file => /^lock\.\d+$/.test(file));
      const dead = { pid: 4_000_001, startTime: 'long ago', since: new Date().toISOString() };
      for (const file of locks) writeFileSync(inSession(name, file), JSON.stringify(dead));
    },
    beginOnly: name => void mkdirSync(sessionFiles(root, name).folder, { recursive: true }),
    damage(name, seq) {
      const journal = inSession(name, 'journal.jsonl');
      const lines = readFileSync(journal, 'utf8').split('\n');
      lines[seq - 1] = lines[seq - 1]!.replace('"kind"', '"kinb"');
      writeFileSync(journal, lines.join('\n'));
    },
    cutShort: name => appendFileSync(inSession(name, 'journal.jsonl'), '01234567 {"seq":'),
    loseRecord: name => rmSync(inSession(name, 'journal.jsonl')),
    loseSecrets: () => rmSync(join(state, 'starts'), { recursive: true }),
    everything: () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .sort()
        .map(name => join(folder, name))
        .filter(path => statSync(path).isFile() && !/\/lock\.\d+$/.test(path))
        .map(path => `${path}\n${readFileSync(path, 'utf8')}`)
        .join('\n'),
    move() {
      renameSync(root, join(folder, 'moved'));
      return worldIn(folder, 'moved');
    },
  };
}
