import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleInto, temporaryFolder } from '../../../test/program.ts';
import { readAddress } from '../../app/serve-address.ts';
import { call, denial, gate, parents, payload } from '../fixtures/calls.ts';
import { createServeWorld, isServed, type ServeWorld, texts, until } from '../fixtures/world.ts';

const folder = temporaryFolder('serve-launcher');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function worldWith(config: string): ServeWorld {
  const world = createServeWorld(folder, program);
  world.write('~/.config/nyzhi/config.toml', config);
  return world;
}

describe('the launcher starts serve', () => {
  test('only where HOOKLOOP_SERVE=auto asks for it, for the next time', async () => {
    const world = worldWith(gate);
    world.launch(call, payload('PreToolUse', 'a'));
    expect(isServed(world.state)).toBe(false);
    expect(texts(world.launch(call, payload('PreToolUse', 'b'), { HOOKLOOP_SERVE: 'auto' }))).toEqual(denial);
    await until(() => readAddress(world.state) !== undefined);
    const { pid } = readAddress(world.state)!;
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(texts(world.launch(call, payload('PreToolUse', 'c')))).toEqual(denial);
    expect(parents(world)[2]).toBe(String(pid));
  });

  test('without the files that its caller has open', async () => {
    const world = worldWith(gate);
    const caller = spawn(world.launcher, call, {
      ...{ cwd: world.project, env: { ...world.env, HOOKLOOP_SERVE: 'auto' } },
      stdio: ['pipe', 'ignore', 'ignore', ...Array.from({ length: 10 }, () => 'pipe' as const)],
    });
    const closed = [3, 12].map(fd => once((caller.stdio[fd] as Readable).resume(), 'close'));
    (caller.stdin as Writable).end(payload('PreToolUse'));
    await until(() => readAddress(world.state) !== undefined);
    const { pid } = readAddress(world.state)!;
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    await Promise.all(closed);
    expect(readAddress(world.state)?.pid).toBe(pid);
  });
});

test('the launcher waits for its payload however long its own shell is told to wait', async () => {
  const world = worldWith(gate);
  const { address } = await world.serve();
  const late = `{ sleep 1.1; cat; } | TMOUT=1 "${world.launcher}" hook claude`;
  expect(world.run([], { shell: late, input: payload('PreToolUse') })).toEqual(denial);
  expect(parents(world)).toEqual([String(address.pid)]);
});
