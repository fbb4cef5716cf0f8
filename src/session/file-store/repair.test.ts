import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../platform/fixtures/programs.ts';
import { encodeLine } from './journal-lines.ts';
import { inspectJournal } from './read-journal.ts';
import { keepGoodEntries } from './repair.ts';
import { openJournal } from './writer.ts';

const line = (seq: number): Buffer => encodeLine({ seq, at: 'then' });

function fileWith(...parts: Uint8Array[]) {
  const folder = temporaryFolder();
  const path = join(folder, 'journal.jsonl');
  writeFileSync(path, Buffer.concat(parts), { mode: 0o600 });
  return { folder, path, bytes: Buffer.concat(parts) };
}

function damagedFile() {
  const bad = line(3);
  bad[12]! ^= 1;
  return fileWith(line(1), line(2), bad, line(4), line(5));
}

test('an inspection says what is wrong, what stays and what goes, and touches nothing', () => {
  const { folder, path, bytes } = damagedFile();
  expect(inspectJournal(path)).toEqual({
    kind: 'damaged',
    damage: {
      line: 3,
      offset: line(1).length + line(2).length,
      reason: 'the checksum does not match',
      goodEntries: 2,
      laterGoodEntries: 2,
    },
    kept: [1, 2].map(seq => ({ seq, at: 'then' })),
    lost: [4, 5].map(seq => ({ seq, at: 'then' })),
  });
  expect(readdirSync(folder)).toEqual(['journal.jsonl']);
  expect(readFileSync(path)).toEqual(bytes);
});

test('an inspection tells a whole journal and a torn one from a damaged one', () => {
  expect(inspectJournal(fileWith(line(1)).path)).toEqual({ kind: 'whole', kept: [{ seq: 1, at: 'then' }] });
  expect(inspectJournal(fileWith(line(1), line(2).subarray(0, 5)).path)).toMatchObject({
    kind: 'torn',
    torn: { bytes: 5 },
    kept: [{ seq: 1 }],
  });
  expect(inspectJournal(join(temporaryFolder(), 'none'))).toMatchObject({ kind: 'unreadable' });
});

test('a repair keeps the good beginning and the original beside it; then the journal opens and goes on', async () => {
  const { folder, path, bytes } = damagedFile();
  const repaired = keepGoodEntries(path);
  if (repaired.kind !== 'repaired') throw new Error(repaired.kind);
  expect(repaired.keptEntries).toBe(2);
  expect(readFileSync(path)).toEqual(Buffer.concat([line(1), line(2)]));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(repaired.original)).toEqual(bytes);
  expect(repaired.original).toMatch(/journal\.jsonl\.damaged-\d{8}T\d{9}Z$/);
  expect(readdirSync(folder).length).toBe(2);

  const opened = openJournal(path);
  if (opened.kind !== 'open') throw new Error(opened.kind);
  expect(await opened.journal.append({})).toMatchObject({ seq: 3 });
  await opened.journal.close();
  expect(readFileSync(repaired.original)).toEqual(bytes);
});

test('a repair of a journal that is not damaged does nothing', () => {
  const { folder, path, bytes } = fileWith(line(1), line(2).subarray(0, 5));
  expect(keepGoodEntries(path)).toEqual({ kind: 'nothing-to-do' });
  expect(readFileSync(path)).toEqual(bytes);
  expect(readdirSync(folder)).toEqual(['journal.jsonl']);
});

test('a repair that fails says why', () => {
  expect(keepGoodEntries(join(temporaryFolder(), 'none'))).toEqual({
    kind: 'failed',
    reason: 'it does not exist (ENOENT)',
  });
});
