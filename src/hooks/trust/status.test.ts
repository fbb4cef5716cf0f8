import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeHooks, createSandbox, type Sandbox } from './fixtures/sandbox.ts';
import { whyNotTrusted } from './may-run.ts';
import { trustStatus } from './status.ts';

function why(sandbox: Sandbox): string | undefined {
  const { hooks, pins, places } = sandbox.plan();
  return whyNotTrusted(hooks, trustStatus({ pins, root: places.root, env: sandbox.env }));
}

test('a command that requires trust is told about hooks that are untrusted or gone, and about nothing else', async () => {
  const sandbox = createSandbox();
  expect(why(sandbox)).toBeUndefined();
  sandbox.write('.claude/settings.json', claudeHooks);
  expect(why(sandbox)).toMatch(/settings\.json: not trusted yet.*hookloop trust$/);
  await sandbox.trust(['--yes']);
  expect(why(sandbox)).toBeUndefined();
  rmSync(join(sandbox.project, '.claude'), { recursive: true });
  expect(why(sandbox)).toContain('settings.json: gone since they were trusted');
});

test('a hook of a file that was not looked at counts as untrusted', async () => {
  const sandbox = createSandbox();
  sandbox.write('.claude/settings.json', claudeHooks);
  await sandbox.trust(['--yes']);
  const { hooks, pins, places } = sandbox.plan();
  const stage = { ...hooks[0]!, source: { ...hooks[0]!.source, scope: 'stage' as const, file: 'elsewhere.yaml' } };
  const status = trustStatus({ pins, root: places.root, env: sandbox.env });
  expect(whyNotTrusted([...hooks, stage], status)).toContain('elsewhere.yaml: not trusted yet');
});

async function trustedSandbox(hash: string): Promise<Sandbox> {
  const sandbox = createSandbox();
  sandbox.write('.claude/settings.json', claudeHooks);
  sandbox.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  expect(await sandbox.trust(['--yes'])).toMatchObject({ exit: 0 });
  sandbox.env['HOOKLOOP_TRUST'] = hash;
  sandbox.env['CI'] = 'true';
  return sandbox;
}

const another = 'a'.repeat(64);

test('a stated hash that is not that of trusted hooks is told with each event that runs one of them', async () => {
  const sandbox = await trustedSandbox(another);
  const note = expect.stringMatching(
    /^hookloop: HOOKLOOP_TRUST is not the hash of these hooks, which is [0-9a-f]{64}; they are still trusted.*$/,
  );
  expect(sandbox.ask('tool.calling')).toEqual({ hooks: [expect.anything()], note });
  expect(sandbox.ask('turn.ending')).toEqual({ hooks: [expect.anything()], note });
  expect(sandbox.ask('session.starting')).toEqual({ hooks: [] });
});

test('it is no trust: as soon as the hooks change, they are refused', async () => {
  const sandbox = await trustedSandbox(another);
  sandbox.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755);
  expect(sandbox.ask('tool.calling')).toEqual({
    hooks: [],
    refusal: expect.stringContaining('HOOKLOOP_TRUST is not the hash of these hooks'),
  });
});

test('the status tells it, and still is trusted', async () => {
  const sandbox = await trustedSandbox(another);
  const { exit, stdout } = await sandbox.trust(['--status', '--json']);
  expect([exit, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ trusted: true, remark: expect.stringContaining('HOOKLOOP_TRUST is not the hash') }),
  ]);
  sandbox.env['HOOKLOOP_TRUST'] = JSON.parse(stdout).hash;
  expect(JSON.parse((await sandbox.trust(['--status', '--json'])).stdout)).not.toHaveProperty('remark');
  expect(sandbox.ask('tool.calling')).toEqual({ hooks: [expect.anything()] });
});
