import { expect, test } from 'vitest';
import { claudeHooks, createWorld, type World } from './fixtures/project.ts';

async function trustedWorld(hash: string): Promise<World> {
  const world = createWorld();
  world.write('.claude/settings.json', claudeHooks);
  world.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  expect(await world.trust(['--yes'])).toMatchObject({ exit: 0 });
  world.env['HOOKLOOP_TRUST'] = hash;
  world.env['CI'] = 'true';
  return world;
}

const another = 'a'.repeat(64);

test('a stated hash that is not that of trusted hooks is told with each event that runs one of them', async () => {
  const world = await trustedWorld(another);
  const note = expect.stringMatching(
    /^hookloop: HOOKLOOP_TRUST is not the hash of these hooks, which is [0-9a-f]{64}; they are trusted all the same.*$/,
  );
  expect(world.ask('tool.calling')).toEqual({ hooks: [expect.anything()], note });
  expect(world.ask('turn.ending')).toEqual({ hooks: [expect.anything()], note });
  expect(world.ask('session.starting')).toEqual({ hooks: [] });
});

test('it is no trust: as soon as the hooks change, they are refused', async () => {
  const world = await trustedWorld(another);
  world.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755);
  expect(world.ask('tool.calling')).toEqual({
    hooks: [],
    refusal: expect.stringContaining('HOOKLOOP_TRUST is not the hash of these hooks'),
  });
});

test('the status tells it, and still is trusted', async () => {
  const world = await trustedWorld(another);
  const { exit, stdout } = await world.trust(['--status', '--json']);
  expect([exit, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ trusted: true, remark: expect.stringContaining('HOOKLOOP_TRUST is not the hash') }),
  ]);
  world.env['HOOKLOOP_TRUST'] = JSON.parse(stdout).hash;
  expect(JSON.parse((await world.trust(['--status', '--json'])).stdout)).not.toHaveProperty('remark');
  expect(world.ask('tool.calling')).toEqual({ hooks: [expect.anything()] });
});
