import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleProgram, temporaryFolder } from '../../platform/fixtures/programs.ts';
import type { ModelRecord } from './fixtures/engine.ts';
import { run, runInjected, tellSkipped, whyNoInjection } from './fixtures/programs.ts';
import { readJournal } from './fixtures/read-journal.ts';
import { encodeLine } from './journal-lines.ts';

const actions = [1, 2, 3, 4, 5, 6];
const [engine, repairer] = await Promise.all([
  bundleProgram(new URL('./fixtures/engine.ts', import.meta.url)),
  bundleProgram(new URL('./fixtures/repairer.ts', import.meta.url)),
]);

/** A session that an earlier crash left with half a line. */
function leaveTornSession(folder: string): void {
  const records: ModelRecord[] = [
    { kind: 'start', action: 1, attempt: 1 },
    { kind: 'start', action: 2, attempt: 1 },
    { kind: 'done', action: 1 },
  ];
  const lines = records.map((record, index) => encodeLine({ seq: index + 1, at: 'then', ...record }));
  writeFileSync(join(folder, 'journal.jsonl'), Buffer.concat([...lines, encodeLine({ seq: 4 }).subarray(0, 9)]));
  writeFileSync(join(folder, 'effects'), '1\n2\n');
}

function stateOf(folder: string) {
  const reading = readJournal<ModelRecord>(join(folder, 'journal.jsonl'));
  const entries = reading.kind === 'read' ? reading.entries : [];
  const effects = tryRead(join(folder, 'effects')).split('\n').map(Number);
  const actionsOf = (kind: 'start' | 'done') => entries.flatMap(entry => (entry.kind === kind ? [entry.action] : []));
  return {
    damaged: reading.kind === 'damaged',
    lastSeq: entries.at(-1)?.seq ?? 0,
    done: new Set(actionsOf('done')),
    starts: entries.flatMap(entry => (entry.kind === 'start' ? [entry] : [])),
    ended: entries.filter(({ kind }) => kind === 'end').length,
    ran: new Map(actions.map(action => [action, effects.filter(effect => effect === action).length])),
  };
}

/** What one run of the engine, killed or not, may have changed. */
function expectKept(before: ReturnType<typeof stateOf>, after: ReturnType<typeof stateOf>, stdout: string): void {
  expect(after.damaged).toBe(false);
  const acknowledged = [...stdout.matchAll(/acknowledged (\d+)/g)].map(([, seq]) => Number(seq));
  expect(after.lastSeq).toBeGreaterThanOrEqual(Math.max(before.lastSeq, ...acknowledged));
  for (const action of actions) {
    const again = after.ran.get(action)! - before.ran.get(action)!;
    expect(again).toBeLessThanOrEqual(before.done.has(action) ? 0 : 1);
    if (after.done.has(action)) expect(after.ran.get(action)).toBeGreaterThan(0);
    const attempts = after.starts.filter(start => start.action === action);
    expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, index) => index + 1));
    expect(attempts.slice(1).every(({ cause }) => cause === 'crash')).toBe(true);
  }
}

/** Kills at the n-th call for n = 1, 2, ... until a run gets through; each session is killed twice and then finished. */
async function sweep(call: string, prepare: (folder: string) => void): Promise<number> {
  for (let when = 1; ; when += 1) {
    const folder = temporaryFolder();
    prepare(folder);
    const paths = [folder, join(folder, 'journal.jsonl'), join(folder, 'effects')];
    const command = [process.execPath, engine, folder];
    let crashes = 0;
    for (const isInjected of [true, true, false]) {
      const before = stateOf(folder);
      const { code, signal, stdout, stderr } = isInjected
        ? await runInjected(`${call}:signal=SIGKILL:when=${when}`, paths, command)
        : await run(command);
      expect({ stderr, ended: code ?? signal }).toEqual({ stderr: '', ended: code === 0 ? 0 : 'SIGKILL' });
      crashes += signal ? 1 : 0;
      expectKept(before, stateOf(folder), stdout);
    }
    const { done, ended, ran } = stateOf(folder);
    expect({ done: [...done].sort(), ended }).toEqual({ done: actions, ended: 1 });
    expect(Math.max(...ran.values())).toBeLessThanOrEqual(1 + crashes + (prepare === leaveTornSession ? 1 : 0));
    if (crashes === 0) return when - 1;
  }
}

describe.skipIf(tellSkipped('crashes at every call', whyNoInjection))('killed at any call', () => {
  const calls: [string, number][] = [
    ['pwrite64', 6],
    ['fdatasync', 6],
    ['write', 6],
    ['openat', 8],
    ['fsync', 1],
  ];
  test.each(calls)(
    'at each %s of a new session, nothing finished is repeated and nothing lost',
    async (call, atLeast) => {
      expect(await sweep(call, () => {})).toBeGreaterThanOrEqual(atLeast);
    },
  );

  test.each([
    ['ftruncate', 1],
    ['fsync', 1],
    ['pwrite64', 5],
  ] as const)(
    'at each %s of a session with a torn end, nothing finished is repeated and nothing lost',
    async (call, atLeast) => {
      expect(await sweep(call, leaveTornSession)).toBeGreaterThanOrEqual(atLeast);
    },
  );

  test('a repair leaves the journal as it was or repaired, and the original can always be found', async () => {
    const lines = [1, 2, 3].map(seq => encodeLine({ seq, at: 'then' }));
    lines[1]![12]! ^= 1;
    const damaged = Buffer.concat(lines);
    let crashes = 0;
    for (const call of ['openat', 'pwrite64', 'fsync', '?link,?linkat', '?rename,?renameat,?renameat2'])
      for (let when = 1, crashed = true; crashed; when += 1) {
        const folder = temporaryFolder();
        const path = join(folder, 'journal.jsonl');
        writeFileSync(path, damaged);
        const paths = [folder, path, `${path}.repair`];
        const inject = `${call}:signal=SIGKILL:when=${when}`;
        crashed = (await runInjected(inject, paths, [process.execPath, repairer, path])).signal === 'SIGKILL';
        crashes += crashed ? 1 : 0;
        expect([damaged, lines[0]]).toContainEqual(readFileSync(path));
        await run([process.execPath, repairer, path]);
        expect(readFileSync(path)).toEqual(lines[0]);
        const originals = readdirSync(folder).filter(name => name.startsWith('journal.jsonl.damaged-'));
        expect(originals.length).toBeGreaterThan(0);
        for (const name of originals) expect(readFileSync(join(folder, name))).toEqual(damaged);
        expect(readdirSync(folder)).not.toContain('journal.jsonl.repair');
      }
    expect(crashes).toBeGreaterThanOrEqual(8);
  });
});

test('an engine that is never killed runs each action once, and starting it again changes nothing', async () => {
  const folder = temporaryFolder();
  for (const _ of ['first', 'again']) {
    expect(await run([process.execPath, engine, folder])).toMatchObject({ code: 0, stderr: '' });
    const { ran, ended } = stateOf(folder);
    expect({ counts: [...ran.values()], ended }).toEqual({ counts: [1, 1, 1, 1, 1, 1], ended: 1 });
  }
});

function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
