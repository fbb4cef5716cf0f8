import { expect } from 'vitest';
import { type Check, holding, kindsIn, made, note, notesIn } from './world.ts';

export function describeNoting(check: Check): void {
  check('something can be noted in a session that no one has, and whoever holds it next knows it', async world => {
    const { store, root } = world;
    const held = await made(store, root, 's');
    await held.journal.append(note('work'));
    await held.lease.release();
    const noted = await store.note('s', async ({ state, journal }) => {
      expect([state.lastSeq, (await store.hold('s')).kind]).toEqual([2, 'busy']);
      await journal.append(note('beside it'));
      return 'value';
    });
    expect(noted).toEqual({ kind: 'noted', value: 'value' });
    expect(await notesIn(store, 's')).toEqual(['work', 'beside it']);
    const again = await holding(store, 's');
    expect(again.state).toMatchObject({ lastSeq: 3, runs: [{ number: 1 }] });
    await again.lease.release();
  });

  check('nothing is noted where someone has the session, or there is none', async ({ store, root, start }) => {
    const other = await start();
    await (await made(store, root, 's')).lease.release();
    await other.hold('s');
    const never = (): Promise<never> => Promise.reject(new Error('it must not be asked'));
    expect(await store.note('s', never)).toEqual({ kind: 'busy', pid: other.pid });
    expect(await store.note('none', never)).toEqual({ kind: 'absent' });
    await other.release();
    expect(await kindsIn(store, 's')).toEqual(['session.started']);
  });

  check('a session whose noting failed can be had again', async ({ store, root }) => {
    await (await made(store, root, 's')).lease.release();
    const failing = store.note('s', () => Promise.reject(new Error('a bug')));
    await expect(failing).rejects.toThrow('a bug');
    await (await holding(store, 's')).lease.release();
  });

  check('what is removed is gone with all that was kept of it, and its name is free', async world => {
    const { store, root, everything } = world;
    const held = await made(store, root, 's');
    await held.journal.append(note('only here'));
    await held.lease.release();
    await (await made(store, root, 'other')).lease.release();
    expect(await store.remove('s')).toEqual({ kind: 'removed' });
    expect(await everything()).not.toContain('only here');
    expect((await store.list()).map(({ name }) => name)).toEqual(['other']);
    expect([await store.find('s'), await store.remove('s')]).toEqual([{ kind: 'absent' }, { kind: 'absent' }]);
    await (await made(store, root, 's')).lease.release();
    expect(await kindsIn(store, 's')).toEqual(['session.started']);
  });

  check('what someone has is not removed', async ({ store, root, start }) => {
    const other = await start();
    await (await made(store, root, 's')).lease.release();
    await other.hold('s');
    expect(await store.remove('s')).toEqual({ kind: 'busy', pid: other.pid });
    await other.release();
    expect(await kindsIn(store, 's')).toEqual(['session.started']);
  });
}
