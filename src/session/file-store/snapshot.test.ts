import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { appendLong, foldedAnew } from '../../../test/contracts/session-store/states.ts';
import { holding, made, note } from '../../../test/contracts/session-store/world.ts';
import { temporaryFolder } from '../../platform/fixtures/programs.ts';
import { sessionFiles } from '../paths.ts';
import { newState } from '../state/state.ts';
import type { SessionStore } from '../store.ts';
import { createFileStore } from './file-store.ts';
import { encodeLine } from './journal-lines.ts';

interface World {
  store: SessionStore;
  root: string;
  journal: string;
  folder: string;
  cache: string;
  /** The only state that is kept. */
  kept(): string;
}

/** A session with a journal of some megabytes, ended, whose state is kept. */
async function longSession(entries = 100): Promise<World> {
  const home = temporaryFolder();
  const [root, cache] = [join(home, 'project'), join(home, 'cache')];
  mkdirSync(root);
  const store = createFileStore({ root, state: undefined, cache });
  const held = await made(store, root, 's');
  await appendLong(held, entries);
  await held.lease.release();
  const { folder } = sessionFiles(root, 's');
  const states = join(cache, 'states');
  const kept = (): string => join(states, readdirSync(states)[0]!);
  return { store, root, cache, folder, journal: join(folder, 'journal.jsonl'), kept };
}

const small = 500_000;

/** Whether only what came since the kept state is read. */
const isUsed = async (store: SessionStore): Promise<boolean> =>
  (await store.state('s', small)).end.kind !== 'too-large';

async function expectTruth(store: SessionStore, lastSeq: number): Promise<void> {
  const read = await store.state('s');
  expect(read).toMatchObject({ end: { kind: 'read' }, state: { lastSeq } });
  expect(read.state).toEqual(await foldedAnew(store, 's'));
}

test('the end of a long session leaves its state, and who reads next folds nothing', async () => {
  const { store, kept } = await longSession();
  expect(statSync(kept()).mode & 0o777).toBe(0o600);
  expect(await isUsed(store)).toBe(true);
  await expectTruth(store, 101);
});

test('a short session leaves none', async () => {
  const { cache } = await longSession(3);
  expect(existsSync(cache)).toBe(false);
});

test('what came since is folded onto it, also what a crash has left without its newline', async () => {
  const { store, journal } = await longSession();
  const held = await holding(store, 's');
  await held.journal.append(note('since'));
  await held.lease.release();
  expect(await isUsed(store)).toBe(true);
  await expectTruth(store, 102);
  appendFileSync(journal, encodeLine({ seq: 103, at: new Date().toISOString(), ...note('last') }).subarray(0, -1));
  expect(await isUsed(store)).toBe(true);
  await expectTruth(store, 103);
  const read = await store.state('s');
  const again = await holding(store, 's', read);
  expect(again.state.work.done.get('note')).toBe('last');
  expect((await again.journal.append(note('more'))).seq).toBe(104);
  await again.lease.release();
  await expectTruth(store, 104);
});

const line = (seq: number, text: string): Buffer => encodeLine({ seq, at: new Date(0).toISOString(), ...note(text) });

test.each<[string, (world: World) => void, number]>([
  ['is shorter now', ({ journal }) => truncateSync(journal, readFileSync(journal).indexOf('\n') + 1), 1],
  [
    'was replaced by one that is longer',
    ({ journal }) => {
      const lines = Array.from({ length: 200 }, (_, at) => line(at + 2, 'y'.repeat(50_000)));
      const [first] = readFileSync(journal, 'utf8').split('\n', 1);
      writeFileSync(`${journal}.new`, Buffer.concat([Buffer.from(`${first}\n`), ...lines]));
      renameSync(`${journal}.new`, journal);
    },
    201,
  ],
  [
    'was written over in its place by one that is longer',
    ({ journal }) => {
      const lines = Array.from({ length: 200 }, (_, at) => line(at + 2, 'y'.repeat(50_000)));
      const [first] = readFileSync(journal, 'utf8').split('\n', 1);
      writeFileSync(journal, Buffer.concat([Buffer.from(`${first}\n`), ...lines]));
    },
    201,
  ],
  [
    'was changed in its place',
    ({ journal }) => {
      const text = readFileSync(journal, 'utf8').split('\n');
      const { length } = text[49]!;
      const at = new Date(0).toISOString();
      const bare = encodeLine({ seq: 50, at, ...note('') }).length - 1;
      text[49] = line(50, 'z'.repeat(length - bare))
        .toString()
        .trimEnd();
      expect(text[49].length).toBe(length);
      const { atime, mtime } = statSync(journal);
      writeFileSync(journal, text.join('\n'));
      utimesSync(journal, atime, mtime);
    },
    101,
  ],
])('a state is stale where its journal %s', async (_, change, lastSeq) => {
  const world = await longSession();
  await world.store.state('s');
  change(world);
  await expectTruth(world.store, lastSeq);
  await world.store.read('s', () => {}, 90);
  const held = await holding(world.store, 's');
  expect(held.state.lastSeq).toBe(lastSeq);
  await held.lease.release();
  const seen: number[] = [];
  await world.store.read('s', ({ seq }) => seen.push(seq), Math.max(1, lastSeq - 1));
  expect(seen).toEqual([lastSeq - 1, lastSeq].filter(seq => seq > 0));
});

test('a changed line in what it covers is found before anyone goes on', async () => {
  const { store, journal } = await longSession();
  const text = readFileSync(journal, 'utf8').split('\n');
  text[49] = text[49]!.replace('xxx', 'xyx');
  writeFileSync(journal, text.join('\n'));
  appendFileSync(journal, line(102, 'on'));
  expect(await store.hold('s')).toMatchObject({ kind: 'damaged', damage: { line: 50 } });
});

test('a damaged state is none, wherever the damage is', async () => {
  const { store, kept } = await longSession();
  const good = readFileSync(kept());
  const places = [0, 1, 20, good.indexOf('marks'), good.indexOf('\n') - 1, good.indexOf('\n') + 30];
  for (const at of [...places, ...Array.from({ length: 40 }, (_, index) => Math.floor((good.length * index) / 40))]) {
    const bad = Buffer.from(good);
    bad[at] = bad[at]! ^ 1;
    writeFileSync(kept(), bad);
    await expectTruth(store, 101);
  }
  for (const length of [0, 1, 100, good.length - 1]) {
    writeFileSync(kept(), good.subarray(0, length));
    await expectTruth(store, 101);
  }
});

test("another session's state, another version's, and one of a copied folder are none", async () => {
  const { store, root, cache, folder, kept } = await longSession();
  const other = await longSession();
  copyFileSync(other.kept(), kept());
  expect(await isUsed(store)).toBe(false);
  await expectTruth(store, 101);
  const text = readFileSync(kept(), 'latin1');
  writeFileSync(kept(), text.replace('"madeBy":"', '"madeBy":"0.0.1 '), 'latin1');
  expect(await isUsed(store)).toBe(false);
  await expectTruth(store, 101);
  renameSync(folder, `${folder}-away`);
  mkdirSync(folder);
  for (const name of readdirSync(`${folder}-away`))
    if (statSync(join(`${folder}-away`, name)).isFile()) copyFileSync(join(`${folder}-away`, name), join(folder, name));
  expect(await isUsed(createFileStore({ root, state: undefined, cache }))).toBe(false);
});

test('a state that others may write, or that a link leads to, is not believed', async () => {
  const { store, kept, cache } = await longSession();
  chmodSync(kept(), 0o666);
  expect(await isUsed(store)).toBe(false);
  await store.state('s');
  expect(await isUsed(store)).toBe(true);
  const file = kept();
  renameSync(file, join(cache, 'elsewhere'));
  symlinkSync(join(cache, 'elsewhere'), file);
  expect(await isUsed(store)).toBe(false);
});

test('nothing in the folder of a session is taken for its state', async () => {
  const { store, folder, kept } = await longSession();
  const hostile = { ...newState(), lastSeq: 7, closed: { kind: 'session.closed', status: 'completed' } };
  const [about] = readFileSync(kept(), 'latin1').split('\n', 1);
  const bytes = Buffer.concat([Buffer.from(`${about}\n`, 'latin1'), serialize(hostile)]);
  rmSync(kept());
  for (const name of ['state.json', 'states', 'snapshot', '.state']) writeFileSync(join(folder, name), bytes);
  expect(await isUsed(store)).toBe(false);
  await expectTruth(store, 101);
});

test('without a cache, or with one that takes nothing, every reader folds all', async () => {
  const { store, root, cache } = await longSession();
  const without = createFileStore({ root, state: undefined, cache: undefined });
  expect(await isUsed(without)).toBe(false);
  await expectTruth(without, 101);
  rmSync(cache, { recursive: true });
  writeFileSync(cache, 'a file stands in its place');
  await expectTruth(store, 101);
});
