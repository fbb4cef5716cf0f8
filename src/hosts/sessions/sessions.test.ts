import { spawn } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { bundleHostProgram, trust } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder } from '../../../test/program.ts';
import type { HookEvent } from '../../model/index.ts';
import { claim, claimsFolder, fileClaims } from './claims.ts';
import { createLog, openNotes, openRefusedTurns, removeOld, removeOldMemory } from './session-memory.ts';

const folder = temporaryFolder('memory');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file where a folder should be. */
const nowhere = join(folder, 'file', 'x');
writeFileSync(join(folder, 'file'), '');

describe('notes', () => {
  test('are given once, in the order in which they were kept, to their own session', () => {
    const notes = openNotes(folder, 's');
    notes.keep('one');
    notes.keep('two');
    expect(openNotes(folder, 'other').take()).toBe('');
    expect([openNotes(folder, 's').take(), notes.take()]).toEqual(['one\ntwo', '']);
  });

  test('are for the eyes of the user alone', () => {
    openNotes(folder, 'private').keep('x');
    const [file] = readdirSync(join(folder, 'notes'));
    expect(statSync(join(folder, 'notes', file!)).mode & 0o777).toBe(0o600);
  });

  test('without a place to keep them are lost, not an error', () => {
    const notes = openNotes(undefined, 's');
    notes.keep('x');
    expect(notes.take()).toBe('');
    expect(() => openNotes(nowhere, 's').keep('x')).not.toThrow();
  });
});

describe('refused turns', () => {
  test('are eight in a row at most, and start anew when something was done', () => {
    const turns = openRefusedTurns(folder, 's');
    const refuse = (times: number): boolean[] => Array.from({ length: times }, () => turns.mayRefuse());
    expect(refuse(5)).toEqual(Array(5).fill(true));
    turns.forget();
    expect(refuse(9)).toEqual([...Array(8).fill(true), false]);
  });

  test('are none where they cannot be counted', () => {
    expect(openRefusedTurns(undefined, 's').mayRefuse()).toBe(false);
    expect(openRefusedTurns(nowhere, 's').mayRefuse()).toBe(false);
  });
});

describe('claims', () => {
  const own = `hookloop-${process.getuid?.()}`;

  test.skipIf(process.platform !== 'linux')('are in memory, for the user alone', () => {
    const [memory, place] = [join(folder, 'memory'), join(folder, 'of-memory')];
    mkdirSync(memory);
    const within = claimsFolder(place, memory);
    expect(within.startsWith(join(memory, own, '/'))).toBe(true);
    expect(statSync(join(memory, own)).mode & 0o777).toBe(0o700);
    expect([claimsFolder(place, memory), claimsFolder(`${place}-other`, memory) === within]).toEqual([within, false]);
  });

  const makings: Readonly<Record<string, (path: string) => void>> = {
    'others may look': path => mkdirSync(path, { mode: 0o755 }),
    'it is a link': path => symlinkSync(tmpdir(), path),
    'it is a file': path => writeFileSync(path, ''),
    'it cannot be made': path => {
      rmSync(join(path, '..'), { recursive: true });
      writeFileSync(join(path, '..'), '');
    },
  };

  test.each(Object.entries(makings))('are in the state folder where %s', (what, make) => {
    const memory = join(folder, `not ${what}`);
    mkdirSync(memory);
    make(join(memory, own));
    expect(claimsFolder('/state/hosts', memory)).toBe('/state/hosts/claims');
  });
});

describe('a claim', () => {
  const asking = { root: '/r', process: '7@1' };
  const event: HookEvent = { name: 'tool.calling', session: 's', agent: 'claude', tool: 'Bash', toolCallId: 't' };

  test('of a process that died is taken over', async () => {
    const place = join(folder, 'dead');
    const claims = fileClaims(place, join(place, 'claims'));
    expect((await claim(claims, event, ['h'], 1000, asking)).kind).toBe('mine');
    const [name] = readdirSync(join(place, 'claims'));
    const file = join(place, 'claims', name!);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid: 2 ** 30 }));
    expect((await claim(claims, { ...event, agent: 'copilot' }, ['h'], 60_000, asking)).kind).toBe('mine');
  });

  test.each(['', '{', '[]', 'null'])('that is damaged to %j is taken over', async text => {
    const place = join(folder, `damaged-${text.length}${text}`);
    const claims = fileClaims(place, join(place, 'claims'));
    await claim(claims, event, ['h'], 1000, asking);
    const [name] = readdirSync(join(place, 'claims'));
    writeFileSync(join(place, 'claims', name!), text);
    expect((await claim(claims, { ...event, agent: 'copilot' }, ['h'], 60_000, asking)).kind).toBe('mine');
  });

  test('is seen by every process of the user, however it spells its home', async () => {
    const [home, link] = [join(folder, 'seen'), join(folder, 'link')];
    mkdirSync(home);
    symlinkSync(home, link);
    const first = await claim(fileClaims(join(link, 'hosts')), event, ['h'], 1000, asking);
    if (first.kind !== 'mine') throw new Error('not mine');
    mkdirSync(join(home, 'hosts'), { recursive: true });
    const second = claim(fileClaims(join(home, 'hosts')), { ...event, agent: 'copilot' }, ['h'], 1000, asking);
    first.done({ kind: 'block', reason: 'no', by: 'h' });
    expect(await second).toEqual({ kind: 'theirs', decision: { kind: 'block', reason: 'no', by: 'h' }, hooks: ['h'] });
  });

  test('of hooks that were cut short is taken back: the next call runs them', async () => {
    const store = fileClaims(join(folder, 'cut'));
    const first = await claim(store, event, ['h'], 1000, asking);
    if (first.kind !== 'mine') throw new Error('not mine');
    const second = claim(store, { ...event, agent: 'copilot' }, ['h'], 5000, asking);
    first.done(undefined);
    expect((await second).kind).toBe('mine');
  });

  test('of large inputs is small, and tells them apart', async () => {
    const place = join(folder, 'large');
    const claims = fileClaims(place, join(place, 'claims'));
    const { toolCallId: _id, ...without } = event;
    const calls = ['a', 'b'].map(end => ({ ...without, input: { text: `${'x'.repeat(100_000)}${end}` } }));
    for (const call of calls) expect((await claim(claims, call, ['h'], 1000, asking)).kind).toBe('mine');
    const names = readdirSync(join(place, 'claims'));
    expect([names.length, names.every(name => statSync(join(place, 'claims', name)).size < 1000)]).toEqual([2, true]);
  });

  test('that is just being written is waited for', async () => {
    const place = join(folder, 'half');
    const claims = fileClaims(place, join(place, 'claims'));
    await claim(claims, event, ['h'], 1000, asking);
    const [name] = readdirSync(join(place, 'claims'));
    const file = join(place, 'claims', name!);
    const line = readFileSync(file, 'utf8');
    const { at, pid, number } = JSON.parse(line);
    const decision = { kind: 'block', reason: 'no', by: 'h' };
    writeFileSync(file, '');
    const second = claim(claims, { ...event, agent: 'copilot' }, ['h'], 60_000, asking);
    await new Promise(resolve => setTimeout(resolve, 50));
    writeFileSync(file, `${line}${JSON.stringify({ at, pid, number, decision, decidedAt: at })}\n`);
    expect(await second).toEqual({ kind: 'theirs', decision, hooks: ['h'] });
  });

  test('that someone has begun to take over and died is taken over all the same', async () => {
    const place = join(folder, 'begun');
    const claims = fileClaims(place, join(place, 'claims'));
    await claim(claims, event, ['h'], 1000, asking);
    const [name] = readdirSync(join(place, 'claims'));
    writeFileSync(join(place, 'claims', `${name}.next`), '');
    expect((await claim(claims, event, ['h'], 0, asking)).kind).toBe('mine');
    expect(readdirSync(join(place, 'claims'))).toEqual([name]);
  });

  test('that was taken over stays when the hooks of the one before are cut short', async () => {
    const place = join(folder, 'late');
    const claims = fileClaims(place, join(place, 'claims'));
    const first = await claim(claims, event, ['h'], 1000, asking);
    const second = await claim(claims, { ...event, agent: 'copilot' }, ['h'], 1000, asking);
    if (first.kind !== 'mine' || second.kind !== 'mine') throw new Error('not mine');
    first.done(undefined);
    expect(readdirSync(join(place, 'claims'))).toHaveLength(1);
  });

  test.each([
    ['has none yet', 'none'],
    ['has one of an earlier event', 'old'],
  ])('is one’s alone where many ask at once for an event that %s', async (_what, before) => {
    const place = join(folder, `many-${before}`);
    const claims = join(place, 'claims');
    const bundle = join(folder, `claims-${before}.cjs`);
    await build({
      ...{ entryPoints: [join(import.meta.dirname, 'claims.ts')], outfile: bundle, bundle: true },
      ...{ platform: 'node', format: 'cjs', logLevel: 'error' },
    });
    const rounds = 150;
    const eventOf = (round: number): HookEvent => ({ ...event, name: 'tool.called', toolCallId: `t${round}` });
    if (before === 'old')
      for (let round = 0; round < rounds; round += 1) {
        const known = new Set(round ? readdirSync(claims) : []);
        await claim(fileClaims(place, claims), eventOf(round), ['h'], 1000, asking);
        const file = join(claims, readdirSync(claims).find(name => !known.has(name))!);
        writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), at: 1 })}\n`);
      }
    const agents = ['claude', 'copilot', 'cursor'];
    const arrived = new SharedArrayBuffer(4 * rounds);
    const counts = await Promise.all(
      agents.map(agent => {
        const events = Array.from({ length: rounds }, (_, round) => ({ ...eventOf(round), agent }));
        const workerData = { bundle, place, claims, events, asking, arrived, askers: agents.length };
        return new Promise<number[]>((resolve, reject) => {
          new Worker(asker, { eval: true, workerData }).on('message', resolve).on('error', reject);
        });
      }),
    );
    const ran = Array.from({ length: rounds }, (_, round) => counts.reduce((sum, count) => sum + count[round]!, 0));
    expect(ran.filter(count => count !== 1)).toEqual([]);
  });

  /** All of them start each round at once. */
  const asker = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { bundle, place, claims, events, asking, arrived, askers } = workerData;
    const { claim, fileClaims } = require(bundle);
    const arrivals = new Int32Array(arrived);
    (async () => {
      const mine = [];
      for (const [round, event] of events.entries()) {
        Atomics.add(arrivals, round, 1);
        while (Atomics.load(arrivals, round) < askers) {}
        const claimed = await claim(fileClaims(place, claims), event, ['h'], 60000, asking);
        if (claimed.kind === 'mine') claimed.done({ kind: 'proceed' });
        mine.push(claimed.kind === 'mine' ? 1 : 0);
      }
      parentPort.postMessage(mine);
    })();
  `;

  test('where nothing can be written is everybody’s own', async () => {
    expect((await claim(fileClaims(nowhere, nowhere), event, ['h'], 1000, asking)).kind).toBe('mine');
  });

  test('makes two processes that are called for one event run its hooks once', async () => {
    const world = createWorld(folder, await bundleHostProgram(folder));
    world.write(
      '.nyzhi/config.toml',
      '[[agent.hooks]]\nevent = "post_tool"\ncommand = "echo ran >> runs; sleep 0.3"\n',
    );
    trust(world);
    const input = JSON.stringify({
      ...{ session_id: 's', sessionId: 's', tool_use_id: 't1', toolUseId: 't1', cwd: world.project },
      ...{ tool_name: 'Bash', toolName: 'bash', tool_input: { command: 'ls' }, toolArgs: { command: 'ls' } },
    });
    const run = (agent: string, native: string): Promise<string> =>
      new Promise(resolve => {
        const env = { PATH: process.env['PATH'], HOME: world.home };
        const child = spawn(process.execPath, [join(folder, 'hookloop.cjs'), 'hook', agent, native], { env });
        let out = '';
        child.stdout.on('data', text => {
          out += text;
        });
        child.on('close', () => resolve(out));
        child.stdin.end(input);
      });
    await Promise.all([run('claude', 'PostToolUse'), run('copilot', 'postToolUse')]);
    expect(readFileSync(world.pathOf('runs'), 'utf8')).toBe('ran\n');
  });
});

test('old files go, new ones stay', () => {
  const place = join(folder, 'old');
  mkdirSync(place);
  for (const name of ['old', 'new']) writeFileSync(join(place, name), '');
  utimesSync(join(place, 'old'), 1, 1);
  removeOld(place, 60_000);
  expect(readdirSync(place)).toEqual(['new']);
});

test('what old sessions have left goes: where their work began, and what hooks in shadow said', () => {
  const place = join(folder, 'left-memory');
  mkdirSync(join(place, 'bases'), { recursive: true });
  const files = ['bases/old.json', 'bases/new.json', 'shadow.jsonl', 'shadow.jsonl.old', 'log'];
  for (const name of files) writeFileSync(join(place, name), '');
  for (const name of ['bases/old.json', 'shadow.jsonl.old', 'log']) utimesSync(join(place, name), 1, 1);
  removeOldMemory(place);
  expect(readdirSync(place, { recursive: true }).sort()).toEqual(['bases', 'bases/new.json', 'log', 'shadow.jsonl']);
});

test('the log keeps one line for each entry and does not grow without end', () => {
  const place = join(folder, 'log');
  const log = createLog(place, () => 'NOW');
  log('a\nb');
  expect(readFileSync(join(place, 'log'), 'utf8')).toBe('NOW a b\n');
  writeFileSync(join(place, 'log'), 'x'.repeat(2 * 1024 * 1024));
  log('c');
  expect(readFileSync(join(place, 'log'), 'utf8')).toBe('NOW c\n');
});
