import { renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ActionOutcome, ActionRun, HookDefinition } from '../model/index.ts';
import { claudeHooks, createWorld, type World } from './fixtures/project.ts';
import type { Pins } from './pins.ts';
import { changedScript, ifStillTrusted } from './still-trusted.ts';

const ran: ActionOutcome = { kind: 'exited', exitCode: 0, stdout: 'ran', stderr: '' };

function project(): { world: World; gate: HookDefinition; pins: Pins; script: string } {
  const world = createWorld();
  world.write('.claude/settings.json', claudeHooks);
  const script = world.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  const { hooks, pins } = world.plan();
  return { world, gate: hooks.find(({ event }) => event === 'tool.calling')!, pins, script };
}

const run = (hook: HookDefinition, pins: Pins): Promise<ActionOutcome> =>
  ifStillTrusted(async () => ran, pins)(hook.action as never, { hook } as ActionRun);

describe('right before its start', () => {
  test('a script that is as it was runs', async () => {
    const { gate, pins } = project();
    expect(await run(gate, pins)).toBe(ran);
  });

  test('a script that was touched but has its content runs', async () => {
    const { gate, pins, script } = project();
    utimesSync(script, new Date(1e12), new Date(1e12));
    expect(await run(gate, pins)).toBe(ran);
  });

  test.each<[string, (script: string) => void]>([
    [
      'edited in place without a change of size and time',
      script => {
        const { atime, mtime } = statSync(script);
        writeFileSync(script, '#!/bin/sh\nexit 0\n');
        utimesSync(script, atime, mtime);
      },
    ],
    ['moved away', script => renameSync(script, `${script}.old`)],
  ])('a script that was %s does not run, and its gate says no', async (_title, change) => {
    const { gate, pins, script } = project();
    change(script);
    expect(await changedScript(gate, pins)).toBe(script);
    expect(await run(gate, pins)).toMatchObject({
      kind: 'judged',
      ok: false,
      reason: expect.stringContaining('hookloop trust'),
    });
  });

  test('a script that has appeared where there was none counts as changed', async () => {
    const { world, gate } = project();
    renameSync(join(world.project, 'gate.sh'), join(world.project, 'other.sh'));
    const { pins } = world.plan();
    expect(await run(gate, pins)).toBe(ran);
    world.write('gate.sh', '#!/bin/sh\n', 0o755);
    expect(await changedScript(gate, pins)).toBe(join(world.project, 'gate.sh'));
  });

  test('a gate of a dialect that knows no judges says no as well', async () => {
    const world = createWorld();
    const script = world.write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\nexit 2\n', 0o755);
    const { hooks, pins } = world.plan();
    writeFileSync(script, '#!/bin/sh\nexit 0\n');
    expect(await run(hooks[0]!, pins)).toMatchObject({ kind: 'exited', exitCode: 2 });
  });
});
