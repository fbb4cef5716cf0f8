import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './fixtures/programs.ts';
import { openJournal } from './journal.ts';
import { encodeLine } from './line.ts';
import type { Journal } from './writer.ts';

interface Step {
  kind: string;
  hook: string;
  output: string;
}

const count = 100_000;
const step = {
  kind: 'done',
  hook: 'native:.hookloop/hooks.yaml#task.completing[0]',
  output: 'all 214 tests pass '.repeat(5),
};

async function medianAppendMs(journal: Journal<Step>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 101; index += 1) {
    const startMs = performance.now();
    await journal.append(step);
    times.push(performance.now() - startMs);
  }
  return times.sort((a, b) => a - b)[50]!;
}

function open(path: string) {
  const startMs = performance.now();
  const opened = openJournal<Step>(path);
  if (opened.kind !== 'open') throw new Error(opened.kind);
  return { ...opened, openMs: performance.now() - startMs };
}

test('a journal of 100,000 entries opens in well under a second and appends as fast as a new one', async () => {
  const folder = temporaryFolder();
  const fresh = open(join(folder, 'fresh.jsonl'));
  const freshMs = await medianAppendMs(fresh.journal);
  await fresh.journal.close();

  const path = join(folder, 'journal.jsonl');
  const lines = Array.from({ length: count }, (_, index) => encodeLine({ seq: index + 1, at: new Date(), ...step }));
  writeFileSync(path, Buffer.concat(lines));
  const { journal, entries, openMs } = open(path);
  expect(entries.length).toBe(count);
  const lateMs = await medianAppendMs(journal);
  await journal.close();
  console.info(`open ${openMs.toFixed(0)} ms; append ${freshMs.toFixed(2)} ms when new, ${lateMs.toFixed(2)} ms after`);
  expect(openMs).toBeLessThan(1000);
  expect(lateMs).toBeLessThan(3 * freshMs + 1);
});
