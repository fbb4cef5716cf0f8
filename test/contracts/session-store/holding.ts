import { expect } from 'vitest';
import { eventually } from '../agent.ts';
import { type Check, holding, holdSoon, kindsIn, letGo, made, note, notesIn, startIn } from './world.ts';

export function describeHolding(check: Check): void {
  check('a session is made once, and its maker holds it', async ({ store, root }) => {
    const held = await made(store, root, 's');
    expect(held).toMatchObject({ name: 's', values: { what: 'all' }, state: { lastSeq: 1, runs: [{ number: 1 }] } });
    expect(held.start).toEqual({ plan: startIn(root).plan, settings: startIn(root).settings });
    expect(await store.create('s', startIn(root))).toEqual({ kind: 'exists' });
    await held.lease.release();
    expect(await store.create('s', startIn(root))).toEqual({ kind: 'exists' });
    expect(await kindsIn(store, 's')).toEqual(['session.started']);
  });

  check('of those who make the same session at the same time one has it', async ({ store, root, start }) => {
    const { mask: _, ...plain } = startIn(root);
    const processes = await Promise.all([start(), start(), start()]);
    for (const session of ['a', 'b', 'c', 'd']) {
      const here = store.create(session, startIn(root));
      const there = processes.map(other => other.create(session, plain));
      const kinds = (await Promise.all([here, ...there])).map(({ kind }) => kind).sort();
      expect(kinds).toEqual(['exists', 'exists', 'exists', 'held']);
      expect(await kindsIn(store, session)).toEqual(['session.started']);
      await letGo(await here);
      await Promise.all(processes.map(other => other.release()));
    }
  });

  check('of those who want to hold it at the same time one has it', async ({ store, root, start }) => {
    await (await made(store, root, 's')).lease.release();
    const processes = await Promise.all([start(), start(), start()]);
    for (const _ of [1, 2, 3]) {
      const kinds = (await Promise.all(processes.map(other => other.hold('s')))).map(({ kind }) => kind).sort();
      expect(kinds).toEqual(['busy', 'busy', 'held']);
      await Promise.all(processes.map(other => other.release()));
    }
  });

  check('what another holds is busy, here and elsewhere, until it is released', async ({ store, root, start }) => {
    const held = await made(store, root, 's');
    const other = await start();
    expect(await store.holder('s')).toMatchObject({ pid: process.pid, since: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect([await other.hold('s'), await store.hold('s')]).toMatchObject([{ kind: 'busy' }, { kind: 'busy' }]);
    await held.lease.release();
    expect(await store.holder('s')).toBeUndefined();
    expect(await other.hold('s')).toEqual({ kind: 'held', lastSeq: 1 });
    expect(await store.hold('s')).toEqual({ kind: 'busy', pid: other.pid });
    expect(await store.holder('s')).toMatchObject({ pid: other.pid });
    await other.release();
    await (await holding(store, 's')).lease.release();
  });

  check('hold gives the state after all that is written, and what it was begun with', async ({ store, root }) => {
    const held = await made(store, root, 's');
    await held.journal.append({ kind: 'task.added', id: 'T1', content: 'one' });
    await held.journal.append({ kind: 'step.done', key: 's0/i1', value: { deep: [1] } });
    await held.lease.release();
    const again = await holding(store, 's');
    expect(again.state).toMatchObject({ lastSeq: 3, started: { session: 's' } });
    expect(again.state.work.done.get('s0/i1')).toEqual({ deep: [1] });
    expect([...again.state.tasks.tasks.keys()]).toEqual(['T1']);
    expect([again.start, again.values]).toEqual([held.start, held.values]);
    await again.lease.release();
  });

  check('what is not there is absent, and stays so', async ({ store }) => {
    expect(await store.hold('s')).toEqual({ kind: 'absent' });
    expect(await store.find('s')).toEqual({ kind: 'absent' });
    expect(await store.find('../s')).toEqual({ kind: 'absent' });
    expect(await store.startOf('s')).toBeUndefined();
    expect(await store.holder('s')).toBeUndefined();
    expect(await store.read('s', () => {})).toEqual({ kind: 'empty' });
    expect([await store.list(), await store.children('s')]).toEqual([[], []]);
  });

  check('one whose maker died at once is empty, and can be made anew', async ({ store, root, beginOnly }) => {
    await beginOnly('s');
    expect(await store.hold('s')).toEqual({ kind: 'empty' });
    expect(await store.read('s', () => {})).toEqual({ kind: 'empty' });
    expect(await store.list()).toMatchObject([{ name: 's', changedMs: null }]);
    await (await made(store, root, 's')).lease.release();
    expect(await kindsIn(store, 's')).toEqual(['session.started']);
  });

  check('one that has run and has no record is lost, and is not begun anew', async ({ store, root, loseRecord }) => {
    const held = await made(store, root, 's');
    held.tellState({ status: 'running' });
    await held.lease.release();
    await loseRecord('s');
    const lost = { kind: 'lost', reason: expect.stringContaining('s') };
    expect(await store.hold('s')).toEqual(lost);
    expect(await store.read('s', () => {})).toEqual(lost);
    expect(await store.inspect('s')).toEqual(lost);
    expect(await store.create('s', startIn(root))).toEqual({ kind: 'exists' });
  });

  check('a dead holder is succeeded, and nothing it was told is written is lost', async ({ store, root, start }) => {
    const { mask: _, ...plain } = startIn(root);
    const other = await start();
    expect(await other.create('s', plain)).toMatchObject({ kind: 'held' });
    expect(await other.append(note('theirs'))).toEqual({ kind: 'appended', seq: 2 });
    await other.kill();
    const held = await holdSoon(store, 's');
    expect(held.state.lastSeq).toBe(2);
    expect((await held.journal.append(note('ours'))).seq).toBe(3);
    await held.lease.release();
    expect(await notesIn(store, 's')).toEqual(['theirs', 'ours']);
  });

  check('who has lost the session writes nothing more to it', async ({ store, root, start, forgetHolder }) => {
    const held = await made(store, root, 's');
    await held.journal.append(note('before'));
    expect(held.lease.lost.aborted).toBe(false);
    const other = await start();
    await forgetHolder('s');
    expect(await other.hold('s')).toEqual({ kind: 'held', lastSeq: 2 });
    await expect(held.journal.append(note('too late'))).rejects.toThrow();
    await expect(held.journal.append(note('too late'), 'kept')).rejects.toThrow();
    expect(await other.append(note('theirs'))).toEqual({ kind: 'appended', seq: 3 });
    await eventually(() => held.lease.lost.aborted);
    await expect(held.journal.append(note('too late'), 'soon')).rejects.toThrow();
    await held.lease.release();
    expect(await store.hold('s')).toEqual({ kind: 'busy', pid: other.pid });
    expect(await other.append(note('and more'))).toEqual({ kind: 'appended', seq: 4 });
    expect(await notesIn(store, 's')).toEqual(['before', 'theirs', 'and more']);
    expect(await store.inspect('s')).toMatchObject({ kind: 'whole' });
  });

  check('the loss is told also to who writes nothing', async ({ store, root, start, forgetHolder }) => {
    const held = await made(store, root, 's');
    const lost = new Promise(resolve => held.lease.lost.addEventListener('abort', resolve));
    const other = await start();
    await forgetHolder('s');
    expect(await other.hold('s')).toMatchObject({ kind: 'held' });
    await lost;
    await held.lease.release();
  });
}
