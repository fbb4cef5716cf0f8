import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeHooks, createWorld, type World } from './fixtures/project.ts';
import { whyNotTrusted } from './require.ts';
import { standingOf } from './standing.ts';

function why(world: World): string | undefined {
  const { hooks, pins, places } = world.plan();
  return whyNotTrusted(hooks, standingOf({ pins, root: places.root, env: world.env }));
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
  const standing = standingOf({ pins, root: places.root, env: world.env });
  expect(whyNotTrusted([...hooks, stage], standing)).toContain('elsewhere.yaml: not trusted yet');
});
