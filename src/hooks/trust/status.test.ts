import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeHooks, createWorld, type World } from './fixtures/project.ts';
import { whyNotTrusted } from './may-run.ts';
import { trustStatus } from './status.ts';

function why(world: World): string | undefined {
  const { hooks, pins, places } = world.plan();
  return whyNotTrusted(hooks, trustStatus({ pins, root: places.root, env: world.env }));
}

test('a command that requires trust is told about hooks that are untrusted or gone, and about nothing else', async () => {
  const world = createWorld();
  expect(why(world)).toBeUndefined();
  world.write('.claude/settings.json', claudeHooks);
  expect(why(world)).toMatch(/settings\.json: not trusted yet.*hookloop trust$/);
  await world.trust(['--yes']);
  expect(why(world)).toBeUndefined();
  rmSync(join(world.project, '.claude'), { recursive: true });
  expect(why(world)).toContain('settings.json: gone since they were trusted');
});

test('a hook of a file that was not looked at counts as untrusted', async () => {
  const world = createWorld();
  world.write('.claude/settings.json', claudeHooks);
  await world.trust(['--yes']);
  const { hooks, pins, places } = world.plan();
  const stage = { ...hooks[0]!, source: { ...hooks[0]!.source, scope: 'stage' as const, file: 'elsewhere.yaml' } };
  const status = trustStatus({ pins, root: places.root, env: world.env });
  expect(whyNotTrusted([...hooks, stage], status)).toContain('elsewhere.yaml: not trusted yet');
});

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
