import { describe, expect, test } from 'vitest';
import { describeAtRandom } from './session-store/at-random.ts';
import { describeDamage } from './session-store/damage.ts';
import { describeEntries } from './session-store/entries.ts';
import { describeHolding } from './session-store/holding.ts';
import { describeLists } from './session-store/lists.ts';
import { describeNoting } from './session-store/noting.ts';
import { describeQuestions } from './session-store/questions.ts';
import { describeStarts } from './session-store/starts.ts';
import { describeStates } from './session-store/states.ts';
import type { StoreWorld } from './session-store/world.ts';

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
    describeStates(check);
    describeStarts(check);
    describeLists(check);
    describeDamage(check);
    describeNoting(check);
    describeQuestions(check);
    describeAtRandom(check);

    test('what is skipped exists', () => {
      for (const { tests } of skip) expect(titles).toEqual(expect.arrayContaining([...tests]));
    });
  });
}
