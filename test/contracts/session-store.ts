import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../src/model/record.ts';
import type { Held, NotHeld, SessionStart, SessionStore } from '../../src/session/store.ts';
import { eventually } from './agent.ts';
import type { Reply, StoreProcess } from './session-store-process.ts';

/** A store with nothing in it, and what only its own test can do to it. */
export interface StoreWorld {
  store: SessionStore;
  /** Of the project. */
  root: string;
  /** Another process with the same store. */
  start(options?: { heapMb: number }): Promise<StoreProcess>;
  /** Makes whoever holds the session look dead to others, who can take it over. */
  forgetHolder(name: string): void | Promise<void>;
  /** What is left of a session whose maker died before its first entry. */
  beginOnly(name: string): void | Promise<void>;
  /** Spoils the entry as a failing disk does. */
  damage(name: string, seq: number): void | Promise<void>;
  /** Leaves the beginning of one more entry, as a write does that was cut short. */
  cutShort(name: string): void | Promise<void>;
  /** Takes away the whole record of a session that has run. */
  loseRecord(name: string): void | Promise<void>;
  /** Takes away what is kept of secret starts. */
  loseSecrets(): void | Promise<void>;
  /** Everything that the store keeps anywhere, in one text. */
  everything(): string | Promise<string>;
  /** Puts the project elsewhere; its sessions go along. */
  move(): StoreWorld | Promise<StoreWorld>;
}

export interface StoreCase {
  name: string;
  /** It goes with the test. */
  create(): StoreWorld | Promise<StoreWorld>;
  /** What this store cannot do or be shown to do, and why; by the titles of the tests. */
  skip?: readonly { reason: string; tests: readonly string[] }[];
}

/** What every store of sessions promises, wherever it keeps them: run by each store. */
export function testSessionStore({ name, create, skip = [] }: StoreCase): void {
  const titles: string[] = [];
  const check = (title: string, run: (world: StoreWorld) => Promise<void>): void => {
    titles.push(title);
    const skipped = skip.find(({ tests }) => tests.includes(title));
    if (skipped) test.skip(`${title}: ${skipped.reason}`, () => {});
    else test(title, async () => run(await create()));
  };

  describe(`session store ${name}`, () => {
    describeHolding(check);
    describeEntries(check);
    describeStarts(check);
    describeLists(check);
    describeDamage(check);
    describeAtRandom(check);

    test('what is skipped exists', () => {
      for (const { tests } of skip) expect(titles).toEqual(expect.arrayContaining([...tests]));
    });
  });
}

type Check = (title: string, run: (world: StoreWorld) => Promise<void>) => void;

function describeHolding(check: Check): void {
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
    expect(() => held.journal.appendSync(note('too late'))).toThrow();
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

function describeEntries(check: Check): void {
  check('entries come in order, numbered without gaps, however they are written', async ({ store, root }) => {
    const held = await made(store, root, 's');
    const expected = Array.from({ length: 60 }, (_, index) => `note ${index}`);
    const written = expected.map((text, index) => {
      if (index % 7 === 3) return held.journal.appendSync(note(text));
      return held.journal.append(note(text), (['now', 'soon', 'kept'] as const)[index % 3]);
    });
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

const secret = 'hush-hush-5772';

function describeStarts(check: Check): void {
  const secretStart = (root: string): SessionStart => {
    const { plan, ...rest } = startIn(root);
    const [stage] = plan.stages;
    const prompt = `say ${secret}`;
    const mask = (text: string): string => text.replaceAll(secret, '***');
    return { ...rest, plan: { ...plan, stages: [{ ...stage!, prompt }] }, mask };
  };

  check('nothing secret stands in an entry, and who holds the session has it whole', async ({ store, root }) => {
    const held = await made(store, root, 's', secretStart(root));
    expect(held.start.plan.stages[0]!.prompt).toContain(secret);
    await held.journal.append(note('on the way'));
    await held.lease.release();
    const entries: unknown[] = [];
    await store.read('s', entry => entries.push(entry));
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(entries[0]).toMatchObject({ secret: true, plan: { stages: [{ prompt: 'say ***' }] } });
    expect(JSON.stringify(await store.startOf('s'))).toContain(secret);
    const again = await holding(store, 's');
    expect(again.start).toEqual(held.start);
    await again.lease.release();
  });

  check('what was secret is kept while the session can go on, and no longer', async ({ store, root, everything }) => {
    for (const status of ['failed', 'interrupted', 'completed'] as const) {
      const held = (await store.find('s')).kind === 'absent' ? made(store, root, 's', secretStart(root)) : undefined;
      const { journal, lease } = await (held ?? holding(store, 's'));
      await journal.append({ kind: 'session.closed', status });
      await lease.release();
      expect((await everything()).includes(secret), status).toBe(status !== 'completed');
    }
    expect(await kindsIn(store, 's')).toHaveLength(4);
  });

  check('without what was secret the session is lost', async ({ store, root, loseSecrets }) => {
    await (await made(store, root, 's', secretStart(root))).lease.release();
    await loseSecrets();
    expect(await store.hold('s')).toEqual({ kind: 'lost', reason: expect.stringContaining('s') });
    expect(await store.startOf('s')).toBeUndefined();
    expect(await store.holder('s')).toBeUndefined();
  });

  check('paths are kept as seen from the project, and come back whole', async ({ store, root }) => {
    const held = await made(store, root, 's', withPaths(root));
    await held.lease.release();
    let first: unknown;
    await store.read('s', entry => {
      first ??= entry;
    });
    expect(first).toMatchObject({ settings: { root: '.', outerRoots: ['..'], tasksFile: join('docs', 'tasks.md') } });
    expect(JSON.stringify(first)).not.toContain(root);
    expect((await store.startOf('s'))?.settings).toEqual(withPaths(root).settings);
    const again = await holding(store, 's');
    expect([again.start, again.start.settings]).toEqual([held.start, withPaths(root).settings]);
    await again.lease.release();
  });

  check('a project that is moved takes its sessions along', async world => {
    const held = await made(world.store, world.root, 's', withPaths(world.root));
    await held.journal.append(note('before'));
    await held.lease.release();
    const { store, root } = await world.move();
    expect(root).not.toBe(world.root);
    const again = await holding(store, 's');
    expect(again.start.settings).toEqual(withPaths(root).settings);
    await again.journal.append(note('after'));
    await again.lease.release();
    expect(await notesIn(store, 's')).toEqual(['before', 'after']);
  });

  check('where it was begun can be told again', async ({ store, root }) => {
    await (await made(store, root, 's', { ...startIn(root), origin: 'here' })).lease.release();
    await (await made(store, root, 't')).lease.release();
    expect([(await store.startOf('s'))?.origin, (await store.startOf('t'))?.origin]).toEqual(['here', undefined]);
  });
}

function describeLists(check: Check): void {
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

  check('what events outside of sessions start has only a group in common', async ({ store, root }) => {
    await make(store, root, ['dispatch/on_x-1', 'a']);
    expect(await store.find('dispatch')).toEqual({ kind: 'group' });
    expect(namesOf(await store.list())).toEqual(['a', 'dispatch/on_x-1']);
    expect(namesOf(await store.children('dispatch'))).toEqual(['dispatch/on_x-1']);
  });
}

function describeDamage(check: Check): void {
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

type Step = { kind: 'append'; count: number } | { kind: 'release' | 'hold' | 'hold-elsewhere' | 'crash' | 'take-over' };

/** Random work on one session, here and in other processes, against a list of what was acknowledged. */
function describeAtRandom(check: Check): void {
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 5 }) }),
    },
    ...(['release', 'hold', 'hold-elsewhere', 'crash', 'take-over'] as const).map(kind => ({
      weight: 1,
      arbitrary: fc.constant({ kind }),
    })),
  );

  check('whatever happens, what was acknowledged is there once and in order', async world => {
    const { store, root } = world;
    let sessions = 0;
    const run = async (steps: readonly Step[]): Promise<void> => {
      sessions += 1;
      const name = `s${sessions}`;
      const acknowledged: string[] = [];
      let holder: Holder | undefined = fromHere(await made(store, root, name));
      const taken = async (): Promise<Holder | undefined> => {
        const expected = holder ? 'busy' : 'held';
        const found = await store.hold(name);
        expect(found.kind).toBe(expected);
        return found.kind === 'held' ? fromHere(found) : undefined;
      };
      for (const { kind, ...more } of steps) {
        if (kind === 'append') {
          for (let left = (more as { count: number }).count; holder && left > 0; left -= 1) {
            const text = `${name} ${acknowledged.length}`;
            expect(await holder.append(note(text))).toBe(acknowledged.length + 2);
            acknowledged.push(text);
          }
        } else if (kind === 'release') {
          await holder?.release();
          holder = undefined;
        } else if (kind === 'hold') holder = (await taken()) ?? holder;
        else if (kind === 'crash') {
          if (!holder?.kill) continue;
          await holder.kill();
          holder = undefined;
          const next = await holdSoon(store, name);
          expect(next.state.lastSeq).toBe(acknowledged.length + 1);
          holder = fromHere(next);
        } else {
          const loser: Holder | undefined = holder;
          if (loser && kind === 'hold-elsewhere') continue;
          const other = await world.start();
          if (loser) await world.forgetHolder(name);
          expect(await other.hold(name)).toEqual({ kind: 'held', lastSeq: acknowledged.length + 1 });
          holder = fromElsewhere(other);
          if (loser) expect(await loser.append(note('too late')).catch(() => 'refused')).toBe('refused');
          await loser?.release();
        }
        expect(await notesIn(store, name)).toEqual(acknowledged);
      }
      await holder?.release();
      expect(await store.inspect(name)).toMatchObject({ kind: 'whole', kept: { length: acknowledged.length + 1 } });
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), run), {
      numRuns: Number(process.env['FUZZ_RUNS'] ?? 25),
    });
  });
}

interface Holder {
  append(record: SessionRecord): Promise<number | string>;
  release(): Promise<unknown>;
  kill?(): Promise<void>;
}

const fromHere = ({ journal, lease }: Held): Holder => ({
  append: async record => (await journal.append(record)).seq,
  release: () => lease.release(),
});

const fromElsewhere = ({ append, release, kill }: StoreProcess): Holder => ({
  append: async record => {
    const { seq, kind }: Reply = await append(record);
    if (seq === undefined) throw new Error(kind);
    return seq;
  },
  release,
  kill,
});

/** The simplest start there is. */
export const startIn = (root: string): SessionStart => ({
  plan: {
    name: 'work',
    stages: [
      {
        ...{ id: 'work', index: 0, template: 'inline', role: 'builder', prompt: 'work' },
        ...{ termination: { type: 'fixed', iterations: 1 }, delayMs: 0, inputs: [], perspectives: [] },
        ...{ hooks: [], disableGlobalHooks: false, passEnv: [] },
      },
    ],
    ...{ hooks: [], disableGlobalHooks: false, passEnv: [] },
  },
  settings: { agent: 'scripted:demo.yaml', root, turnTimeoutMs: null, permissions: 'allow', noHooks: false },
  values: { what: 'all' },
  run: { number: 1, pid: process.pid, startTime: 'then', mark: 'mark' },
  program: '0.0.0',
  mask: text => text,
});

function withPaths(root: string): SessionStart {
  const start = startIn(root);
  const paths = { outerRoots: [dirname(root)], tasksFile: join(root, 'docs', 'tasks.md') };
  return { ...start, settings: { ...start.settings, ...paths } };
}

const note = (text: string): SessionRecord => ({ kind: 'step.done', key: 'note', value: text });

async function made(store: SessionStore, root: string, name: string, start = startIn(root)): Promise<Held> {
  return asHeld(await store.create(name, start));
}

const holding = async (store: SessionStore, name: string): Promise<Held> => asHeld(await store.hold(name));

/** That a holder is dead may take a while to be known. */
async function holdSoon(store: SessionStore, name: string): Promise<Held> {
  for (const endMs = performance.now() + 60_000; ; await delay(50)) {
    const found = await store.hold(name);
    if (found.kind !== 'busy' || performance.now() > endMs) return asHeld(found);
  }
}

function asHeld(found: Held | NotHeld): Held {
  if (found.kind !== 'held') throw new Error(`not held: ${JSON.stringify(found)}`);
  return found;
}

const letGo = async (found: Held | NotHeld): Promise<void> => {
  if (found.kind === 'held') await found.lease.release();
};

async function entriesIn(store: SessionStore, name: string): Promise<SessionRecord[]> {
  const entries: SessionRecord[] = [];
  let last = 0;
  const end = await store.read(name, entry => {
    expect(entry.seq).toBe(last + 1);
    last = entry.seq;
    entries.push(entry as unknown as SessionRecord);
  });
  expect(end).toEqual({ kind: 'read' });
  return entries;
}

const kindsIn = async (store: SessionStore, name: string): Promise<string[]> =>
  (await entriesIn(store, name)).map(({ kind }) => kind);

const notesIn = async (store: SessionStore, name: string): Promise<string[]> =>
  (await entriesIn(store, name)).flatMap(entry => (entry.kind === 'step.done' ? [String(entry.value)] : []));
