import { expect } from 'vitest';
import { type Check, holding, made, note, notesIn, type StoreWorld } from './world.ts';

export function describeDamage(check: Check): void {
  const fiveEntries = async ({ store, root }: StoreWorld): Promise<void> => {
    const held = await made(store, root, 's');
    for (const text of ['2', '3', '4', '5']) await held.journal.append(note(text));
    await held.lease.release();
  };

  check('a whole record has nothing to repair', async world => {
    await fiveEntries(world);
    const inspection = await world.store.inspect('s');
    expect(inspection).toMatchObject({ kind: 'whole', kept: { length: 5 } });
    expect(await world.store.repair('s', async () => true)).toEqual({ kind: 'nothing-to-do' });
  });

  check('a damaged record is told, not held, and not changed without a yes', async world => {
    const { store, damage, everything } = world;
    await fiveEntries(world);
    await damage('s', 3);
    const before = await everything();
    const damaged = { kind: 'damaged', damage: expect.objectContaining({ goodEntries: 2, laterGoodEntries: 2 }) };
    const seen: number[] = [];
    expect(await store.hold('s')).toEqual(damaged);
    expect(await store.read('s', ({ seq }) => seen.push(seq))).toEqual(damaged);
    expect(seen).toEqual([1, 2]);
    expect(await store.follow('s', () => {}, new AbortController().signal)).toEqual(damaged);
    expect(await store.inspect('s')).toMatchObject({ ...damaged, kept: { length: 2 }, lost: { length: 2 } });
    expect(await store.repair('s', async () => false)).toEqual({ kind: 'declined' });
    expect(await store.holder('s')).toBeUndefined();
    expect(await everything()).toBe(before);
  });

  check('a repair keeps what is good, and the session goes on there', async world => {
    const { store, damage } = world;
    await fiveEntries(world);
    await damage('s', 3);
    expect(await store.repair('s', async () => true)).toMatchObject({ kind: 'repaired', keptEntries: 2 });
    expect(await store.inspect('s')).toMatchObject({ kind: 'whole', kept: { length: 2 } });
    const held = await holding(store, 's');
    expect((await held.journal.append(note('anew'))).seq).toBe(3);
    await held.lease.release();
    expect(await notesIn(store, 's')).toEqual(['2', 'anew']);
  });

  check('a session is not repaired while someone works on it', async world => {
    const { store, start, damage } = world;
    await fiveEntries(world);
    const other = await start();
    expect(await other.hold('s')).toMatchObject({ kind: 'held' });
    await damage('s', 3);
    let asked = false;
    const ask = async (): Promise<boolean> => {
      asked = true;
      return true;
    };
    expect(await store.repair('s', ask)).toMatchObject({ kind: 'busy', pid: other.pid });
    expect(asked).toBe(false);
    await other.kill();
  });

  check('no one takes the session while a person thinks about its repair', async world => {
    const { store, start, damage } = world;
    await fiveEntries(world);
    await damage('s', 3);
    const other = await start();
    const repaired = await store.repair('s', async () => {
      expect(await other.hold('s')).toEqual({ kind: 'busy' });
      return true;
    });
    expect(repaired).toMatchObject({ kind: 'repaired' });
    expect(await other.hold('s')).toEqual({ kind: 'held', lastSeq: 2 });
  });

  check('an entry that was cut short was never written', async world => {
    const { store, cutShort } = world;
    await fiveEntries(world);
    await cutShort('s');
    expect(await store.inspect('s')).toMatchObject({ kind: 'torn', kept: { length: 5 } });
    expect(await notesIn(store, 's')).toEqual(['2', '3', '4', '5']);
    const held = await holding(store, 's');
    expect((await held.journal.append(note('6'))).seq).toBe(6);
    await held.lease.release();
    expect(await notesIn(store, 's')).toEqual(['2', '3', '4', '5', '6']);
  });
}
