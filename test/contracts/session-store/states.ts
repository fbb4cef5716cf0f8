import { dirname } from 'node:path';
import { expect } from 'vitest';
import type { StoredEntry } from '../../../src/model/record.ts';
import { fold, newState, type WholeState } from '../../../src/session/state/state.ts';
import type { Held, SessionStore } from '../../../src/session/store.ts';
import { eventually } from '../agent.ts';
import { type Check, holding, made, note } from './world.ts';

/** Longer than what a store folds again without a thought. */
export const longText = 'x'.repeat(50_000);

export async function appendLong(held: Held, entries = 100): Promise<void> {
  const records = Array.from({ length: entries }, (_, index) => note(`${index} ${longText}`));
  await Promise.all(records.map(record => held.journal.append(record)));
}

/** By its entries alone. */
export async function foldedAnew(store: SessionStore, name: string): Promise<WholeState> {
  const state = newState();
  await store.read(name, entry => fold(state, entry));
  return state;
}

export function describeStates(check: Check): void {
  const seqsFrom = async (store: SessionStore, from?: number): Promise<number[]> => {
    const seen: StoredEntry[] = [];
    expect(await store.read('s', entry => seen.push(entry), from)).toEqual({ kind: 'read' });
    return seen.map(({ seq }) => seq);
  };
  const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

  check('the state of a session is what its entries say, whoever works on it', async ({ store, root, start }) => {
    const held = await made(store, root, 's');
    for (let round = 0; round < 3; round += 1) {
      await appendLong(held);
      expect(await store.state('s')).toMatchObject({ end: { kind: 'read' }, state: await foldedAnew(store, 's') });
    }
    await held.lease.release();
    const other = await start();
    expect(await other.hold('s')).toEqual({ kind: 'held', lastSeq: 301 });
    await other.append(note('theirs'));
    await other.append({ kind: 'hook.started', key: 'h', hook: 'h', name: 'h', event: 'turn.ending', attempt: 1 });
    expect(await store.state('s')).toMatchObject({ state: { lastSeq: 303, hooks: { counts: { hookRuns: 1 } } } });
    await other.append(note(longText));
    const { state } = await store.state('s');
    expect(state).toEqual(await foldedAnew(store, 's'));
    // What is in two places is one thing.
    expect(state.hooks.open.get('h')).toBe(state.hooks.all![0]);
    await other.release();
    const again = await holding(store, 's');
    expect(again.state.work).toEqual(state.work);
    await again.lease.release();
  });

  check('a session with nothing in it, or none, has an empty state', async ({ store, beginOnly }) => {
    await beginOnly('s');
    for (const name of ['s', 'none'])
      expect(await store.state(name)).toEqual({ state: newState(), end: { kind: 'empty' } });
  });

  check('who has read the state goes on from it, and from what came since', async ({ store, root, start }) => {
    const held = await made(store, root, 's');
    await held.journal.append(note('first'));
    await held.lease.release();
    const read = await store.state('s');
    const other = await start();
    await other.hold('s');
    await other.append(note('since'));
    await other.release();
    const again = await holding(store, 's', read);
    expect(again.state.lastSeq).toBe(3);
    expect((await again.journal.append(note('mine'))).seq).toBe(4);
    await again.lease.release();
    expect((await foldedAnew(store, 's')).work.done.get('note')).toBe('mine');
  });

  check('a journal that no one has folded may be too large to be read', async ({ store, root }) => {
    const held = await made(store, root, 's');
    await appendLong(held, 40);
    expect(await store.state('s', 100_000)).toMatchObject({ end: { kind: 'too-large' }, state: { lastSeq: 0 } });
    await store.state('s');
    expect(await store.state('s', 100_000)).toMatchObject({ end: { kind: 'read' }, state: { lastSeq: 41 } });
    await held.lease.release();
  });

  check('reading starts at any entry', async ({ store, root }) => {
    const held = await made(store, root, 's');
    await appendLong(held);
    for (const look of ['before', 'after']) {
      for (const from of [undefined, 1, 2, 50, 101])
        expect(await seqsFrom(store, from), look).toEqual(numbers(from ?? 1, 101));
      expect(await seqsFrom(store, 102)).toEqual([]);
      await store.state('s');
    }
    await held.lease.release();
  });

  check('following starts at any entry', async ({ store, root }) => {
    const held = await made(store, root, 's');
    await appendLong(held);
    await store.state('s');
    for (const from of [90, 101, 102]) {
      const seen: number[] = [];
      const stop = new AbortController();
      const followed = store.follow('s', ({ seq }) => seen.push(seq), stop.signal, from);
      const { seq: last } = await held.journal.append(note('new'));
      await eventually(() => seen.at(-1) === last);
      expect(seen).toEqual(numbers(from, last));
      stop.abort();
      expect(await followed).toEqual({ kind: 'read' });
    }
    await held.lease.release();
  });

  check('a damaged record is told with the state that it still has', async ({ store, root, damage }) => {
    const held = await made(store, root, 's');
    await appendLong(held, 60);
    await held.lease.release();
    expect((await store.state('s')).state.lastSeq).toBe(61);
    await damage('s', 31);
    expect(await store.state('s')).toMatchObject({
      end: { kind: 'damaged', damage: { goodEntries: 30, laterGoodEntries: 30 } },
      state: { lastSeq: 30 },
    });
    expect(await store.hold('s')).toMatchObject({ kind: 'damaged', damage: { goodEntries: 30 } });
  });

  check('the sessions of the roots around and inside can be found', async ({ store, root }) => {
    const outer = dirname(root);
    expect(await store.around([])).toMatchObject({ projects: [{ root }] });
    const found = await store.around([outer]);
    expect([found.untold, found.projects.map(project => project.root)]).toEqual([undefined, [root, outer]]);
    const fromOuter = await found.projects[1]!.store.around([]);
    expect(fromOuter.projects.map(project => project.root)).toEqual([outer, root]);
    await (await made(store, root, 's')).lease.release();
    expect(await fromOuter.projects[1]!.store.list()).toMatchObject([{ name: 's' }]);
  });
}
