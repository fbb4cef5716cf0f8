import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ActionOutcome, ActionRun, HookDefinition } from '../../model/index.ts';
import { claudeHooks, createSandbox, type Sandbox } from './fixtures/sandbox.ts';
import type { Pins } from './pins.ts';
import { changedScript, ifStillTrusted } from './still-trusted.ts';

const ran: ActionOutcome = { kind: 'exited', exitCode: 0, stdout: 'ran', stderr: '' };

function project(): { sandbox: Sandbox; gate: HookDefinition; pins: Pins; script: string } {
  const sandbox = createSandbox();
  sandbox.write('.claude/settings.json', claudeHooks);
  const script = sandbox.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  const { hooks, pins } = sandbox.plan();
  return { sandbox, gate: hooks.find(({ event }) => event === 'tool.calling')!, pins, script };
}

const run = (hook: HookDefinition, pins: Pins, meanwhile = () => {}): Promise<ActionOutcome> =>
  ifStillTrusted(async () => {
    meanwhile();
    return ran;
  }, pins)(hook.action as never, { hook } as ActionRun);

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
    const { sandbox, gate } = project();
    renameSync(join(sandbox.project, 'gate.sh'), join(sandbox.project, 'other.sh'));
    const { pins } = sandbox.plan();
    expect(await run(gate, pins)).toBe(ran);
    sandbox.write('gate.sh', '#!/bin/sh\n', 0o755);
    expect(await changedScript(gate, pins)).toBe(join(sandbox.project, 'gate.sh'));
  });

  test('a gate of a dialect that knows no judges says no as well', async () => {
    const sandbox = createSandbox();
    const script = sandbox.write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\nexit 2\n', 0o755);
    const { hooks, pins } = sandbox.plan();
    writeFileSync(script, '#!/bin/sh\nexit 0\n');
    expect(await run(hooks[0]!, pins)).toMatchObject({ kind: 'exited', exitCode: 2 });
  });
});

describe('a gate whose script was touched while it ran says no', () => {
  const touched = { kind: 'judged', ok: false, reason: expect.stringContaining('gate.sh was changed while it ran') };

  test.each<[string, (script: string) => void]>([
    ['edited', script => writeFileSync(script, 'exit 0')],
    [
      'swapped, and put back before it is looked at again',
      script => {
        renameSync(script, `${script}.good`);
        writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
        rmSync(script);
        renameSync(`${script}.good`, script);
      },
    ],
    [
      'rewritten and restored with its times',
      script => {
        const { atime, mtime } = statSync(script);
        writeFileSync(script, '#!/bin/sh\nexit 0\n');
        writeFileSync(script, '#!/bin/sh\nexit 2\n');
        utimesSync(script, atime, mtime);
      },
    ],
    ['removed', script => rmSync(script)],
  ])('%s', async (_title, change) => {
    const { gate, pins, script } = project();
    expect(await run(gate, pins, () => change(script))).toMatchObject(touched);
  });

  test('a link to it that leads elsewhere for a moment', async () => {
    const { sandbox } = project();
    const script = join(sandbox.project, 'gate.sh');
    renameSync(script, `${script}.real`);
    symlinkSync('gate.sh.real', script);
    const { hooks, pins } = sandbox.plan();
    const gate = hooks.find(({ event }) => event === 'tool.calling')!;
    const change = (): void => {
      for (const target of ['bad.sh', 'gate.sh.real']) {
        symlinkSync(target, `${script}.new`);
        renameSync(`${script}.new`, script);
      }
    };
    expect(await run(gate, pins)).toBe(ran);
    expect(await run(gate, pins, change)).toMatchObject(touched);
  });

  test.each<[string, (folder: string) => void]>([
    ['a folder above it', folder => mkdirSync(folder)],
    ['a link to a folder above it', folder => symlinkSync('real', folder)],
  ])('%s that is another for a moment', async (_title, make) => {
    const sandbox = createSandbox();
    const folder = join(sandbox.project, 'd');
    mkdirSync(join(sandbox.project, 'real'));
    make(folder);
    sandbox.write('.sauna/hooks.json', '["sh d/in/gate.sh"]');
    sandbox.write('d/in/gate.sh', 'exit 1\n');
    sandbox.write('bad/in/gate.sh', 'exit 0\n');
    const { hooks, pins } = sandbox.plan();
    const other = join(sandbox.project, 'other');
    const change = (): void => {
      renameSync(folder, other);
      renameSync(join(sandbox.project, 'bad'), folder);
      renameSync(folder, join(sandbox.project, 'bad'));
      renameSync(other, folder);
    };
    const makes = (): void => {
      for (const place of ['', 'd', 'd/in']) {
        writeFileSync(join(sandbox.project, place, 'made'), '');
        rmSync(join(sandbox.project, place, 'made'));
        mkdirSync(join(sandbox.project, place, 'made'));
      }
    };
    expect(await run(hooks[0]!, pins, makes)).toBe(ran);
    await delay(50);
    expect(await run(hooks[0]!, pins, change)).toMatchObject({ ok: false, reason: touched.reason });
    expect(await run(hooks[0]!, pins)).toBe(ran);
  });

  test('by a program that does nothing else: the bad one never answers', async () => {
    const { sandbox, gate, pins, script } = project();
    const swap = `
      const { renameSync, writeFileSync } = require('node:fs');
      for (let n = 0; ; n++) {
        writeFileSync('new', '#!/bin/sh\\nexit ' + (n % 2 ? 2 : 0) + '\\n', { mode: 0o755 });
        renameSync('new', 'gate.sh');
        if (n === 1) console.log('begun');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, n % 2 ? 3 : 1);
      }`;
    const other = spawn(process.execPath, ['-e', swap], { cwd: sandbox.project, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void other.kill('SIGKILL'));
    await once(other.stdout!, 'data');
    const really = ifStillTrusted(async () => {
      const { status: exitCode } = spawnSync(script, { encoding: 'utf8' });
      return { kind: 'exited', exitCode: exitCode ?? 126, stdout: '', stderr: '' };
    }, pins);
    for (let call = 0; call < 40; call++)
      expect(await really(gate.action as never, { hook: gate } as ActionRun)).not.toMatchObject({ exitCode: 0 });
    other.kill('SIGKILL');
    await once(other, 'exit');
    writeFileSync(script, '#!/bin/sh\nexit 2\n', { mode: 0o755 });
    expect(await run(gate, pins)).toBe(ran);
  });
});
