import { join } from 'node:path';
import { expect } from 'vitest';
import type { HookDefinition } from '../../../src/model/index.ts';
import type { SessionStart } from '../../../src/session/store.ts';
import { type Check, holding, kindsIn, made, note, notesIn, startIn, withPaths } from './world.ts';

const secret = 'hush-hush-5772';
/** No mask knows it: it stands in what a webhook's receiver gets. */
const written = 'written-down-3141';

export function describeStarts(check: Check): void {
  const secretStart = (root: string): SessionStart => {
    const { plan, ...rest } = startIn(root);
    const [stage] = plan.stages;
    const prompt = `say ${secret}`;
    const mask = (text: string): string => text.replaceAll(secret, '***');
    const action = { kind: 'webhook', url: `https://hooks.example/${written}`, headers: { 'X-Key': written } };
    const hooks = [{ id: 'tell', action }] as unknown as HookDefinition[];
    return { ...rest, plan: { ...plan, stages: [{ ...stage!, prompt }], hooks }, mask };
  };

  check('nothing secret stands in an entry, and who holds the session has it whole', async ({ store, root }) => {
    const held = await made(store, root, 's', secretStart(root));
    expect(held.start.plan.stages[0]!.prompt).toContain(secret);
    await held.journal.append(note('on the way'));
    await held.lease.release();
    const entries: unknown[] = [];
    await store.read('s', entry => entries.push(entry));
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${secret}|${written}`));
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
      const kept = await everything();
      for (const text of [secret, written]) expect(kept.includes(text), status).toBe(status !== 'completed');
    }
    expect(await kindsIn(store, 's')).toHaveLength(4);
  });

  check('without what was secret the session is lost', async ({ store, root, loseSecrets }) => {
    await (await made(store, root, 's', secretStart(root))).lease.release();
    await loseSecrets();
    expect(await store.hold('s')).toEqual({ kind: 'lost', reason: expect.stringContaining('s') });
    expect(await store.startOf('s')).toBeUndefined();
    expect(await store.holder('s')).toBeUndefined();
    // What is no work of it needs none of that.
    const noted = await store.note('s', async ({ journal }) => void (await journal.append(note('all the same'))));
    expect([noted.kind, await notesIn(store, 's')]).toEqual(['noted', ['all the same']]);
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
