import { appendFileSync, linkSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, temporaryFolder } from '../../platform/fixtures/programs.ts';
import { readJournal } from './fixtures/read-journal.ts';
import { beginning, encodeLine } from './journal-lines.ts';
import { followJournal, readFirst } from './read-journal.ts';
import { openJournal } from './writer.ts';

interface Note {
  note: string;
}

const line = (seq: number): Buffer => encodeLine({ seq, at: 'then', note: `n${seq}` });

function fileWith(...parts: Uint8Array[]): string {
  const path = join(temporaryFolder(), 'journal.jsonl');
  writeFileSync(path, Buffer.concat(parts));
  return path;
}

describe('reading', () => {
  test('leaves out an unfinished last line and leaves it in the file', () => {
    const path = fileWith(line(1), line(2).subarray(0, 20));
    const { mtimeMs, size } = statSync(path);
    expect(readJournal(path)).toEqual({
      kind: 'read',
      entries: [{ seq: 1, at: 'then', note: 'n1' }],
      unfinished: { bytes: 20, text: line(2).toString('utf8', 0, 20) },
    });
    expect(statSync(path)).toMatchObject({ mtimeMs, size });
  });

  test('gives the good entries before and after damage', () => {
    const bad = line(2);
    bad[12]! ^= 1;
    expect(readJournal(fileWith(line(1), bad, line(3)))).toMatchObject({
      kind: 'damaged',
      damage: { line: 2, goodEntries: 1, laterGoodEntries: 1 },
      entries: [{ seq: 1 }],
      later: [{ seq: 3 }],
    });
  });

  test('does not make a journal that is not there', () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    expect(readJournal(path)).toEqual({ kind: 'unreadable', reason: 'it does not exist (ENOENT)' });
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  test('never sees damage while the writer appends', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const opened = openJournal<Note>(path);
    if (opened.kind !== 'open') throw new Error(opened.kind);
    const appended = Array.from({ length: 60 }, () => opened.journal.append({ note: 'x'.repeat(300_000) }));
    const kinds = new Set<string>();
    for (let isDone = false; !isDone; ) {
      kinds.add(readJournal(path).kind);
      isDone = await Promise.race([
        Promise.all(appended).then(() => true),
        new Promise<false>(r => setImmediate(r, false)),
      ]);
    }
    await opened.journal.close();
    expect([...kinds]).toEqual(['read']);
    const reading = readJournal(path);
    expect(reading.kind === 'read' && reading.entries.length).toBe(60);
  });
});

describe('the first entry', () => {
  test.each(['', 'x'.repeat(200_000)])('is read without the rest, whatever that is', text => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const line = encodeLine({ seq: 1, at: 'now', text });
    writeFileSync(path, Buffer.concat([line, Buffer.from('damaged')]));
    expect(readFirst(path)).toEqual({ seq: 1, at: 'now', text });
    writeFileSync(path, line.subarray(5));
    expect(readFirst(path)).toBeUndefined();
  });

  test('is none where there is no file, or nothing in it', () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    expect([readFirst(path), readFirst(temporaryFolder())]).toEqual([undefined, undefined]);
    writeFileSync(path, '');
    expect(readFirst(path)).toBeUndefined();
  });
});

describe('following', () => {
  function follow(path: string, pollMs = 50) {
    const notes: string[] = [];
    const stop = new AbortController();
    const followed = followJournal<Note>(path, ({ note }) => void notes.push(note), stop.signal, beginning, pollMs);
    onTestFinished(() => stop.abort());
    return { notes, stop: () => stop.abort(), followed };
  }

  test('hands over what is there and then each new entry once, until the signal', async () => {
    const path = fileWith(line(1), line(2));
    const { notes, stop, followed } = follow(path, 60_000);
    await eventually(() => notes.length === 2);
    appendFileSync(path, line(3));
    appendFileSync(path, Buffer.concat([line(4), line(5)]));
    await eventually(() => notes.length === 5);
    stop();
    expect(await followed).toEqual({ kind: 'stopped' });
    appendFileSync(path, line(6));
    expect(notes).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
  });

  test('waits for the rest of a line, and for its replacement where it is taken back', async () => {
    const path = fileWith(line(1), line(2).subarray(0, 15));
    const { notes } = follow(path);
    await eventually(() => notes.length === 1);
    appendFileSync(path, line(2).subarray(15));
    await eventually(() => notes.length === 2);
    const { size } = statSync(path);
    appendFileSync(path, 'half a line');
    truncateSync(path, size);
    appendFileSync(path, line(3));
    await eventually(() => notes.length === 3);
    expect(notes).toEqual(['n1', 'n2', 'n3']);
  });

  test('goes on by looking where notices stop to come', async () => {
    const path = fileWith(line(1));
    const { notes } = follow(path);
    await eventually(() => notes.length === 1);
    const copy = `${path}.copy`;
    writeFileSync(copy, Buffer.concat([line(1), line(2)]));
    rmSync(path);
    linkSync(copy, path);
    await eventually(() => notes.length === 2);
    appendFileSync(path, line(3));
    await eventually(() => notes.length === 3);
  });

  test('costs nothing while nothing happens', async () => {
    const path = fileWith(line(1));
    const { notes, stop, followed } = follow(path);
    await eventually(() => notes.length === 1);
    const before = process.cpuUsage();
    await new Promise(resolve => setTimeout(resolve, 400));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(300);
    stop();
    await followed;
  });

  test('ends at damage and at a journal that goes away', async () => {
    const path = fileWith(line(1));
    const first = follow(path);
    await eventually(() => first.notes.length === 1);
    appendFileSync(path, 'garbage\n');
    expect(await first.followed).toMatchObject({ kind: 'damaged', damage: { line: 2, offset: line(1).length } });

    const gone = fileWith(line(1));
    const second = follow(gone);
    await eventually(() => second.notes.length === 1);
    rmSync(gone);
    expect(await second.followed).toEqual({ kind: 'unreadable', reason: 'it does not exist (ENOENT)' });
  });

  test('lets an error of its listener through', async () => {
    const broken = followJournal(
      fileWith(line(1)),
      () => {
        throw new Error('printer on fire');
      },
      new AbortController().signal,
    );
    await expect(broken).rejects.toThrow('printer on fire');
  });
});
