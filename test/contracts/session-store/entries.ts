import { expect } from 'vitest';
import { eventually } from '../agent.ts';
import { type Check, holdSoon, made, note, notesIn } from './world.ts';

export function describeEntries(check: Check): void {
  check('entries come in order, numbered without gaps, however they are written', async ({ store, root }) => {
    const held = await made(store, root, 's');
    const expected = Array.from({ length: 60 }, (_, index) => `note ${index}`);
    const written = expected.map((text, index) =>
      held.journal.append(note(text), (['now', 'soon', 'kept'] as const)[index % 3]),
    );
    const seqs = (await Promise.all(written)).map(({ seq }) => seq);
    expect(seqs).toEqual(expected.map((_, index) => index + 2));
    expect(await notesIn(store, 's')).toEqual(expected);
    await held.lease.release();
    expect(await notesIn(store, 's')).toEqual(expected);
  });

  check('read sees what append has acknowledged', async ({ store, root }) => {
    const held = await made(store, root, 's');
    for (let count = 1; count <= 10; count += 1) {
      await held.journal.append(note(`${count}`));
      expect((await notesIn(store, 's')).at(-1)).toBe(`${count}`);
    }
    await held.lease.release();
  });

  check('a release writes what was yet to be written, and then takes nothing more', async ({ store, root }) => {
    const held = await made(store, root, 's');
    const soon = held.journal.append(note('soon'), 'soon');
    await held.lease.release();
    expect((await soon).seq).toBe(2);
    await expect(held.journal.append(note('too late'))).rejects.toThrow();
    expect(await notesIn(store, 's')).toEqual(['soon']);
  });

  check('any text comes back as it was', async ({ store, root }) => {
    const held = await made(store, root, 's');
    const texts = ['', 'a\nb\r\n', '\u0000\u2028"\\', '😀 é', 'x'.repeat(3_000_000)];
    for (const text of texts) await held.journal.append(note(text));
    await held.lease.release();
    expect((await notesIn(store, 's')).map(text => texts.indexOf(text))).toEqual([0, 1, 2, 3, 4]);
  });

  check('follow tells each entry once, old and new, whoever holds the session', async ({ store, root, start }) => {
    const held = await made(store, root, 's');
    await held.journal.append(note('old'));
    const seen: number[] = [];
    const stop = new AbortController();
    const followed = store.follow('s', ({ seq }) => seen.push(seq), stop.signal);
    await eventually(() => seen.length === 2);
    await held.journal.append(note('new'));
    await eventually(() => seen.length === 3);
    await held.lease.release();
    const other = await start();
    expect(await other.hold('s')).toMatchObject({ kind: 'held' });
    await other.append(note('theirs'));
    await eventually(() => seen.length === 4);
    await other.kill();
    const again = await holdSoon(store, 's');
    await again.journal.append(note('ours'));
    await eventually(() => seen.length === 5);
    await again.lease.release();
    stop.abort();
    expect(await followed).toEqual({ kind: 'read' });
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });

  check('follow waits for a session that is yet to be made', async ({ store, root }) => {
    const seen: number[] = [];
    const stop = new AbortController();
    const followed = store.follow('s', ({ seq }) => seen.push(seq), stop.signal);
    const held = await made(store, root, 's');
    await eventually(() => seen.length === 1);
    await held.lease.release();
    stop.abort();
    expect(await followed).toEqual({ kind: 'read' });
    expect(await store.follow('none', () => {}, stop.signal)).toEqual({ kind: 'empty' });
  });

  check('10,000 long entries are read in little memory', async ({ store, root, start }) => {
    const held = await made(store, root, 's');
    const text = 'x'.repeat(8000);
    for (let batch = 0; batch < 10; batch += 1)
      await Promise.all(Array.from({ length: 1000 }, () => held.journal.append(note(text))));
    const other = await start({ heapMb: 40 });
    expect(await other.count('s')).toEqual({ kind: 'read', entries: 10_001 });
    await held.lease.release();
  });
}
