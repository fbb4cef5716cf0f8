import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { SessionRecord } from '../../../src/model/record.ts';
import type { Held } from '../../../src/session/store.ts';
import type { Reply, StoreProcess } from './process.ts';
import { foldedAnew, longText } from './states.ts';
import { type Check, holdSoon, made, note, notesIn } from './world.ts';

type Step = { kind: 'append'; count: number } | { kind: 'release' | 'hold' | 'hold-elsewhere' | 'crash' | 'take-over' };

/** Random work on one session, here and in other processes, against a list of what was acknowledged. */
export function describeAtRandom(check: Check): void {
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
            // Long ones, so that what a store keeps of long sessions is kept and used.
            const text = `${name} ${acknowledged.length} ${acknowledged.length % 3 === 2 ? longText.repeat(12) : ''}`;
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
        expect((await notesIn(store, name)).every((text, at) => text === acknowledged[at])).toBe(true);
        const { state } = await store.state(name);
        expect(state.lastSeq).toBe(acknowledged.length + 1);
        expect(isDeepStrictEqual(state, await foldedAnew(store, name))).toBe(true);
      }
      await holder?.release();
      expect(await store.inspect(name)).toMatchObject({ kind: 'whole', kept: { length: acknowledged.length + 1 } });
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), run), {
      // Each starts processes: more than these would not end in the time of a test.
      numRuns: Math.min(Number(process.env['FUZZ_RUNS'] ?? 20), 120),
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
