import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/program.ts';
import type { Decision, HookEvent } from '../../model/index.ts';
import { type ClaimStore, fileClaims, rememberedClaims } from './claim-store.ts';
import { type Claim, claim } from './claims.ts';

const folder = temporaryFolder('told');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const event: HookEvent = { name: 'tool.calling', session: 's', agent: 'claude', tool: 'Bash', toolCallId: 't' };
const again: HookEvent = { ...event, agent: 'copilot' };
const no: Decision = { kind: 'block', reason: 'no', by: 'h' };
const claimed = (store: ClaimStore, of: HookEvent): Promise<Claim> => claim(store, of, ['h'], 10_000);

/** A process that answers everybody and has not yet come to write anything down. */
const busy = (place: string): ClaimStore => rememberedClaims(fileClaims(place), () => {});

function mine(given: Claim): Extract<Claim, { kind: 'mine' }> {
  if (given.kind !== 'mine') throw new Error('it is theirs');
  return given;
}

test('a claim that is remembered and not written down is seen by other processes', async () => {
  const place = join(folder, 'a');
  const first = mine(await claimed(busy(place), event));
  const second = claimed(fileClaims(place), again);
  expect(await Promise.race([second, claimed(fileClaims(place), { ...again, toolCallId: 'other' })])).toMatchObject({
    kind: 'mine',
  });
  first.done(no);
  expect(await second).toEqual({ kind: 'theirs', decision: no, hooks: ['h'] });
});

test('also where the file of an earlier event stands in its place', async () => {
  const place = join(folder, 'b');
  mine(await claimed(fileClaims(place), event)).done({ kind: 'proceed' });
  const [name] = readdirSync(join(place, 'claims'));
  const file = join(place, 'claims', name!);
  const [kept = ''] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(kept), at: Date.now() - 3_600_000 }));
  const first = mine(await claimed(busy(place), event));
  const second = claimed(fileClaims(place), again);
  first.done(no);
  expect(await second).toEqual({ kind: 'theirs', decision: no, hooks: ['h'] });
});

test('one that is taken back is another process’s to take', async () => {
  const place = join(folder, 'c');
  const first = mine(await claimed(busy(place), event));
  const second = claimed(fileClaims(place), again);
  first.done(undefined);
  mine(await second).done(no);
  expect(await claimed(busy(place), { ...event, agent: 'cursor' })).toMatchObject({ kind: 'theirs', decision: no });
});

test('a claim in a file is seen by a process that remembers', async () => {
  const place = join(folder, 'd');
  const store = busy(place);
  const first = mine(await claimed(fileClaims(place), event));
  const second = claimed(store, again);
  first.done(no);
  expect(await second).toEqual({ kind: 'theirs', decision: no, hooks: ['h'] });
});

test('the newer of two claims of one name counts, wherever it is', async () => {
  const place = join(folder, 'f');
  const store = busy(place);
  const { toolCallId: _id, ...stop } = event;
  mine(await claimed(store, stop)).done({ kind: 'proceed' });
  for (const atMs = Date.now(); Date.now() === atMs; ) await new Promise(setImmediate);
  const next = mine(await claimed(fileClaims(place), stop));
  const second = claimed(store, { ...stop, agent: 'copilot' });
  next.done(no);
  expect(await second).toEqual({ kind: 'theirs', decision: no, hooks: ['h'] });
});

test('a process that hangs, or is gone, has no claims', async () => {
  const place = join(folder, 'e');
  mkdirSync(join(place, 'told'), { recursive: true });
  const silent = createServer(() => {}).listen(join(place, 'told', 'silent'));
  onTestFinished(() => void silent.close());
  const bind = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  const gone = spawn(process.execPath, ['-e', bind, join(place, 'told', 'gone')]);
  await once(gone, 'exit');
  expect(readdirSync(join(place, 'told')).sort()).toEqual(['gone', 'silent']);
  expect((await claimed(fileClaims(place), event)).kind).toBe('mine');
  expect(readdirSync(join(place, 'told'))).toEqual(['silent']);
});

test('where the path is too long for a socket, claims are remembered all the same', async () => {
  const place = join(folder, 'x'.repeat(100));
  const first = mine(await claimed(busy(place), event));
  first.done(no);
  expect(existsSync(join(place, 'told'))).toBe(false);
});
