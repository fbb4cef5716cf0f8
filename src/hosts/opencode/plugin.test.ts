import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundleHostProgram, trust } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder, type World } from '../../../test/program.ts';

const folder = temporaryFolder('opencode-plugin');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newWorld = (): World => createWorld(folder, program);
const launcher = '.local/state/hookloop/bin/hookloop';
const gate = '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "echo stop it; exit 1"\nblock = true\n';

describe('the plugin for opencode', () => {
  interface Plugin {
    Hookloop(context: {
      directory: string;
    }): Promise<Record<string, (input: unknown, output?: unknown) => Promise<void>>>;
  }

  async function pluginIn(world: World): Promise<Awaited<ReturnType<Plugin['Hookloop']>>> {
    // The plugin's own processes must not see the home of whoever runs the tests.
    process.env['HOME'] = world.home;
    const text = readFileSync(world.pathOf('.opencode/plugins/hookloop.js'), 'utf8');
    const file = world.write('.opencode/plugins/hookloop.mjs', text);
    return ((await import(/* @vite-ignore */ file)) as Plugin).Hookloop({ directory: world.project });
  }

  const call = { tool: 'bash', sessionID: 's', callID: 'c1' };
  const { HOME } = process.env;
  afterEach(() => {
    process.env['HOME'] = HOME;
  });

  test('throws what a hook refuses, and lets the rest be', async () => {
    const world = newWorld();
    world.write('.nyzhi/config.toml', gate.replace('command', 'tool_name = "git_push"\ncommand'));
    trust(world);
    world.run(['install', 'opencode']);
    const plugin = await pluginIn(world);
    const ask = plugin['tool.execute.before']!;
    await expect(ask(call, { args: { command: 'git push' } })).rejects.toThrow('stop it');
    await expect(ask({ ...call, callID: 'c2' }, { args: { command: 'ls' } })).resolves.toBeUndefined();
  });

  test('refuses tools and prompts when our program is gone, and says what to remove', async () => {
    const world = newWorld();
    world.run(['install', 'opencode']);
    writeFileSync(join(world.home, launcher), '#!/bin/sh\nexit 1\n');
    const plugin = await pluginIn(world);
    await expect(plugin['tool.execute.before']!(call, { args: {} })).rejects.toThrow('it ended with 1');
    writeFileSync(join(world.home, launcher), '');
    await expect(plugin['tool.execute.before']!(call, { args: {} })).rejects.toThrow('it said nothing');
    rmSync(join(world.home, launcher));
    await expect(plugin['tool.execute.before']!(call, { args: {} })).rejects.toThrow(
      `hookloop did not answer, so this is refused (${join(world.home, launcher)} is gone). Install it again, or do without it: remove ${world.pathOf('.opencode/plugins/hookloop.mjs')}`,
    );
    const message = { parts: [{ type: 'text', text: 'do it' }] };
    await plugin['chat.message']!({ sessionID: 's' }, message);
    expect(message.parts[0]!.text).toMatch(/^A hook refused this prompt\. .*is gone/);
    await expect(
      plugin['event']!({ event: { type: 'session.idle', properties: { sessionID: 's' } } }),
    ).resolves.toBeUndefined();
  });

  test('adds what hooks say to what the model reads', async () => {
    const world = newWorld();
    const hooks = ['after_edit', 'user_prompt_submit'].map(
      event => `[[agent.hooks]]\nevent = "${event}"\ncommand = "echo about ${event}"\n`,
    );
    world.write('.nyzhi/config.toml', hooks.join('\n'));
    trust(world);
    world.run(['install', 'opencode']);
    const plugin = await pluginIn(world);
    const output = { output: 'Wrote file.' };
    await plugin['tool.execute.after']!({ ...call, tool: 'write', args: { filePath: '/p/a.ts' } }, output);
    expect(output.output).toContain('Wrote file.\n\n[hook] echo about after_edit (ok)\nabout after_edit');
    const message = { parts: [{ type: 'text', text: 'do it' }] };
    await plugin['chat.message']!({ sessionID: 's' }, message);
    expect(message.parts[0]!.text).toContain('do it\n\n[hook] echo about user_prompt_submit (ok)');
  });
});
