import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { SessionStore } from '../../../src/session/store.ts';
import { type Check, holding, kindsIn, made, note, startIn } from './world.ts';

export function describeLists(check: Check): void {
  const make = async (store: SessionStore, root: string, names: readonly string[]): Promise<void> => {
    for (const name of names) {
      await (await made(store, root, name)).lease.release();
      await delay(20);
    }
  };
  const namesOf = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);

  check('the session that changed last is listed first', async ({ store, root }) => {
    await make(store, root, ['a', 'b', 'c']);
    expect(namesOf(await store.list())).toEqual(['c', 'b', 'a']);
    const [before] = (await store.list()).filter(({ name }) => name === 'a');
    const held = await holding(store, 'a');
    await held.journal.append(note('x'));
    await held.lease.release();
    const list = await store.list();
    expect(namesOf(list)).toEqual(['a', 'c', 'b']);
    expect(list[0]!.version).not.toBe(before!.version);
    expect(list[0]!.bytes).toBeGreaterThan(before!.bytes);
    expect(await store.find('a')).toEqual({ kind: 'found', ...list[0] });
    expect((await store.list())[2]!.version).toBe(list[2]!.version);
  });

  check('children are listed with their session alone, as people count', async ({ store, root }) => {
    const children = ['p/stage.completed-10', 'p/stage.completed-2', 'p/on_x-1'];
    await make(store, root, ['p', 'q', ...children, 'p/on_x-1/on_y-1']);
    expect(namesOf(await store.list())).toEqual(['q', 'p']);
    expect(namesOf(await store.children('p'))).toEqual(['p/on_x-1', 'p/stage.completed-2', 'p/stage.completed-10']);
    expect(namesOf(await store.children('p/on_x-1'))).toEqual(['p/on_x-1/on_y-1']);
    expect(await store.children('q')).toEqual([]);
    expect(await store.find('p/on_x-1/on_y-1')).toMatchObject({ kind: 'found', name: 'p/on_x-1/on_y-1' });
    expect(await store.create('p/on_x-1', startIn(root))).toEqual({ kind: 'exists' });
    expect(await kindsIn(store, 'p')).toEqual(['session.started']);
  });

  check('what events outside sessions start has only a group in common', async ({ store, root }) => {
    await make(store, root, ['dispatch/on_x-1', 'a']);
    expect(await store.find('dispatch')).toEqual({ kind: 'group' });
    expect(namesOf(await store.list())).toEqual(['a', 'dispatch/on_x-1']);
    expect(namesOf(await store.children('dispatch'))).toEqual(['dispatch/on_x-1']);
  });
}
