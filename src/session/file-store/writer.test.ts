import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../model/record.ts';
import { temporaryFolder } from '../../platform/fixtures/programs.ts';
import { encodeLine } from './journal-lines.ts';
import { JournalError, openJournal } from './writer.ts';

interface Note {
  note: string;
}

const now = () => new Date('2030-01-02T03:04:05Z');
const at = '2030-01-02T03:04:05.000Z';

const lines = (...notes: string[]): Buffer[] => notes.map((note, index) => encodeLine({ seq: index + 1, at, note }));

function fileWith(...parts: Uint8Array[]): string {
  const path = join(temporaryFolder(), 'journal.jsonl');
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

function open(path: string) {
  const entries: Entry<Note>[] = [];
  const opened = openJournal<Note>(path, { now, onEntry: entry => entries.push(entry) });
  if (opened.kind !== 'open') throw new Error(`not open: ${JSON.stringify(opened)}`);
  return { ...opened, entries };
}

describe('a journal', () => {
  test('that is new is a private empty file', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const { journal, entries, cut } = open(path);
    expect({ entries, cut, size: statSync(path).size }).toEqual({ entries: [], cut: undefined, size: 0 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await journal.close();
  });

  test('gives back after opening again what was appended, in order', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const first = open(path);
    expect(await first.journal.append({ note: 'grüß\nGott\0' })).toEqual({ seq: 1, at, note: 'grüß\nGott\0' });
    await Promise.all(['b', 'c', 'd'].map(note => first.journal.append({ note })));
    await first.journal.close();
    const second = open(path);
    await second.journal.append({ note: 'e' });
    await second.journal.close();
    const { entries, journal } = open(path);
    expect(entries.map(({ seq, note }) => `${seq} ${note}`)).toEqual(['1 grüß\nGott\0', '2 b', '3 c', '4 d', '5 e']);
    await journal.close();
  });

  test('is a checksum, a space and JSON on each line', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const { journal } = open(path);
    await journal.append({ note: 'a' });
    await journal.close();
    expect(readFileSync(path, 'utf8')).toMatch(
      /^[0-9a-f]{8} \{"seq":1,"at":"2030-01-02T03:04:05.000Z","note":"a"\}\n$/,
    );
  });

  test('holds the record as it was when it was handed over, and keeps its own numbers', async () => {
    const { journal } = open(join(temporaryFolder(), 'journal.jsonl'));
    const record = { note: 'before', seq: 99 };
    const appended = journal.append(record);
    record.note = 'after';
    expect(await appended).toEqual({ seq: 1, at, note: 'before' });
    await journal.close();
  });

  test('takes lines of 1 MiB, more of them at once than one commit holds', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const { journal } = open(path);
    const note = 'ä'.repeat(512 * 1024);
    await Promise.all(Array.from({ length: 20 }, () => journal.append({ note })));
    await journal.close();
    const again = open(path);
    expect(again.entries.map(entry => entry.note === note)).toEqual(Array(20).fill(true));
    await again.journal.close();
  });

  test('refuses a record that is no JSON and goes on', async () => {
    const { journal } = open(join(temporaryFolder(), 'journal.jsonl'));
    await expect(journal.append({ note: 1n as unknown as string })).rejects.toThrow(TypeError);
    expect(await journal.append({ note: 'fine' })).toMatchObject({ seq: 1 });
    await journal.close();
  });

  test('writes what no one waits for with the next record that someone does, or by itself a moment later', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const { journal } = open(path);
    const order: string[] = [];
    const append = async (note: string, when?: 'soon') => order.push((await journal.append({ note }, when)).note);
    const soon = append('a', 'soon');
    expect([statSync(path).size, order]).toEqual([0, []]);
    await append('b');
    expect(order).toEqual(['a', 'b']);
    await append('c', 'soon');
    const last = append('d', 'soon');
    await Promise.all([soon, journal.close(), last]);
    expect(readFileSync(path, 'utf8').match(/"note":"."/g)).toHaveLength(4);
  });

  test('that is to be kept outlives the process at once, though it is not yet waited for', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const { journal } = open(path);
    const all = [journal.append({ note: 'a' }, 'soon'), journal.append({ note: 'b' }, 'kept')];
    expect(readFileSync(path, 'utf8').match(/"note":"."/g)).toEqual(['"note":"a"', '"note":"b"']);
    all.push(journal.append({ note: 'c' }, 'soon'), journal.append({ note: 'd' }));
    await Promise.all(all);
    await journal.close();
    expect(open(path).entries.map(({ seq, note }) => `${seq}${note}`)).toEqual(['1a', '2b', '3c', '4d']);
  });

  test.each(['now', 'soon', 'kept'] as const)(
    'that another process has written to is left to it, also by who appends %s',
    async when => {
      const path = join(temporaryFolder(), 'journal.jsonl');
      const { journal } = open(path);
      await journal.append({ note: 'a' });
      const other = open(path).journal;
      await other.append({ note: 'theirs' });
      await expect(journal.append({ note: 'b' }, when)).rejects.toThrow(/another process has written to it/);
      await journal.close();
      await other.append({ note: 'more' });
      await other.close();
      expect(open(path).entries.map(({ note }) => note)).toEqual(['a', 'theirs', 'more']);
    },
  );

  test('that someone cuts off is not written any further', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const { journal } = open(path);
    await journal.append({ note: 'a' });
    writeFileSync(path, '');
    for (const when of ['kept', 'now'] as const)
      await expect(journal.append({ note: 'b' }, when)).rejects.toThrow(/truncated/);
    await journal.close();
    expect(statSync(path).size).toBe(0);
  });

  test('commits what waits when it is closed and then refuses more', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const { journal } = open(path);
    const appended = journal.append({ note: 'last' });
    await Promise.all([journal.close(), journal.close()]);
    expect(await appended).toMatchObject({ seq: 1 });
    await expect(journal.append({ note: 'late' })).rejects.toBeInstanceOf(JournalError);
    await expect(journal.append({ note: 'late' }, 'kept')).rejects.toThrow('journal: it is closed');
    expect(readFileSync(path)).toEqual(lines('last')[0]);
  });

  test('keeps the last word on the way out, after what is waiting and in flight', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const { journal } = open(path);
    for (let round = 0; round < 20; round += 1) {
      const earlier = [journal.append({ note: 'in flight' })];
      for (let turn = 0; turn < round % 5; turn += 1) await undefined;
      earlier.push(journal.append({ note: 'waiting' }));
      const last = journal.append({ note: 'now' }, 'kept');
      const { length } = readFileSync(path, 'utf8').split('\n');
      const { seq } = await last;
      expect(length - 1).toBe(seq);
      expect((await Promise.all(earlier)).map(entry => entry.seq)).toEqual([seq - 2, seq - 1]);
    }
    await journal.close();
    const again = open(path);
    expect(again.entries.map(({ note }) => note)).toEqual(Array(20).fill(['in flight', 'waiting', 'now']).flat());
    await again.journal.close();
  });
});

describe('opening', () => {
  test('cuts a last line that was torn at any byte, and appends behind the good ones', async () => {
    const [first, second, third] = lines('one', 'two', 'drei €') as [Buffer, Buffer, Buffer];
    for (let length = 1; length < third.length - 1; length += 1) {
      const path = fileWith(first, second, third.subarray(0, length));
      const { journal, entries, cut } = open(path);
      expect(entries.map(({ note }) => note)).toEqual(['one', 'two']);
      expect(cut).toEqual({ bytes: length, text: third.toString('utf8', 0, length) });
      await journal.append({ note: 'drei €' });
      await journal.close();
      expect(readFileSync(path)).toEqual(Buffer.concat([first, second, third]));
    }
  });

  test('keeps a last entry that only lacks its newline', async () => {
    const [first, second, third] = lines('one', 'two', 'three') as [Buffer, Buffer, Buffer];
    const path = fileWith(first, second.subarray(0, -1));
    const { journal, entries, cut } = open(path);
    expect({ notes: entries.map(({ note }) => note), cut }).toEqual({ notes: ['one', 'two'], cut: undefined });
    await journal.append({ note: 'three' });
    await journal.close();
    expect(readFileSync(path)).toEqual(Buffer.concat([first, second, third]));
  });

  test('cuts a last line with blocks that never reached the disk', async () => {
    const [first, second] = lines('one', 'two') as [Buffer, Buffer];
    const path = fileWith(first, second.fill(0, 5, 20));
    const { journal, cut } = open(path);
    expect(cut?.bytes).toBe(second.length);
    await journal.close();
    expect(readFileSync(path)).toEqual(first);
  });

  test('stops at any wrong byte of any whole line and changes nothing', () => {
    const whole = Buffer.concat(lines('one', 'two', 'three'));
    for (let index = 0; index < whole.length - 1; index += 1) {
      const bytes = Buffer.from(whole);
      bytes[index]! ^= 1;
      const path = fileWith(bytes);
      expect(openJournal(path)).toMatchObject({ kind: 'damaged' });
      expect(readFileSync(path)).toEqual(bytes);
    }
  });

  test('says where the damage is and how much is good before and after it', () => {
    const [first, second, third, fourth] = lines('one', 'two', 'three', 'four') as [Buffer, Buffer, Buffer, Buffer];
    second[15]! ^= 1;
    const reason = 'the checksum does not match';
    const damage = { line: 2, offset: first.length, reason, goodEntries: 1, laterGoodEntries: 2 };
    expect(openJournal(fileWith(first, second, third, fourth))).toEqual({ kind: 'damaged', damage });
  });

  test.each([
    ['a missing entry', [0, 2], 'entry 3 follows 1'],
    ['a repeated entry', [0, 0, 1], 'entry 1 follows 1'],
    ['a missing beginning', [1, 2], 'entry 2 follows 0'],
  ])('stops at %s', (_, order, reason) => {
    const all = lines('one', 'two', 'three');
    expect(openJournal(fileWith(...order.map(index => all[index]!)))).toMatchObject({
      kind: 'damaged',
      damage: { reason, line: order[0] === 0 ? 2 : 1 },
    });
  });

  test('stops at an empty line and at a line that is no entry', () => {
    const [first, second] = lines('one', 'two') as [Buffer, Buffer];
    const reasonFor = (...parts: Buffer[]) => openJournal(fileWith(...parts));
    expect(reasonFor(first, Buffer.from('\n'), second)).toMatchObject({ damage: { reason: 'the line is empty' } });
    expect(reasonFor(first, encodeLine([1]), second)).toMatchObject({
      damage: { reason: 'the line is not a journal entry' },
    });
  });

  test('says why a journal cannot be written', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'journal.jsonl'));
    expect(openJournal(join(folder, 'journal.jsonl'))).toEqual({
      kind: 'unwritable',
      reason: 'there is a folder in its place (EISDIR)',
    });
    expect(openJournal(join(folder, 'none', 'journal.jsonl'))).toEqual({
      kind: 'unwritable',
      reason: 'it does not exist (ENOENT)',
    });
    expect(openJournal('/dev/null')).toEqual({ kind: 'unwritable', reason: 'it is not a file' });
  });

  test.skipIf(process.getuid?.() === 0)('says that permission is missing', () => {
    const path = fileWith(...lines('one'));
    chmodSync(path, 0o400);
    expect(openJournal(path)).toEqual({ kind: 'unwritable', reason: 'permission denied (EACCES)' });
  });
});
