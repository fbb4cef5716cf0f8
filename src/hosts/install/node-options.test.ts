import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleHostProgram, trust } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder } from '../../../test/program.ts';
import { launcherText } from '../../serve/launcher.ts';

const folder = temporaryFolder('node-options');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gate =
  '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "echo \\"<$NODE_OPTIONS>\\" >> seen; exit 1"\nblock = true\n';
const payload = JSON.stringify({ session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' });

test.each(['the launcher', 'the launcher without bash', 'an entry of a committed file'])(
  'what the environment tells Node to load does not reach our own through %s',
  how => {
    const world = createWorld(folder, program);
    world.write('.nyzhi/config.toml', gate);
    trust(world);
    world.write('evil.cjs', 'require("node:fs").writeFileSync("evil-ran", ""); process.exit(0)\n');
    world.write('~/bin/hookloop', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, 0o755);
    world.write('payload', payload);
    const isShared = how === 'an entry of a committed file';
    world.run(['install', 'claude', ...(isShared ? ['--shared'] : [])]);
    const state = join(world.home, '.local/state/hookloop');
    if (how === 'the launcher without bash') {
      const text = launcherText({ node: process.execPath, program, state, path: undefined }, () => undefined);
      world.write('~/.local/state/hookloop/bin/hookloop', text, 0o755);
    }
    const file = world.pathOf(isShared ? '.claude/settings.json' : '.claude/settings.local.json');
    const { hooks } = JSON.parse(readFileSync(file, 'utf8'));
    world.write('entry.sh', hooks.PreToolUse[0].hooks[0].command);
    const options = `--require ${world.pathOf('evil.cjs')}`;
    const shell = 'PATH=$HOME/bin:$PATH NODE_OPTIONS="$WANTED" sh entry.sh < payload';
    const ran = world.run([], { shell, env: { WANTED: options } });
    expect([existsSync(world.pathOf('evil-ran')), ran.stdout]).toEqual([false, expect.stringContaining('deny')]);
    expect(readFileSync(world.pathOf('seen'), 'utf8')).toBe(isShared ? '<>\n' : `<${options}>\n`);
  },
);
