import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleHostProgram, trust } from '../../test/host-program.ts';
import { createWorld, type Ran, temporaryFolder, type World } from '../../test/program.ts';

const folder = temporaryFolder('own-trust');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const payload = JSON.stringify({ session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' } });

/** A clone whose hook leaves a trace, and whose agent hands its variables on. */
function clone(): World {
  const world = createWorld(folder, program);
  world.write('.nyzhi/config.toml', '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "touch pwned"\nblock = true\n');
  return world;
}

const call = (world: World, env: Readonly<Record<string, string>>): Ran & { ran: boolean } => ({
  ...world.run(['hook', 'claude', 'PreToolUse'], { input: payload, env }),
  ran: world.run([], { shell: 'test -e pwned' }).exit === 0,
});

describe('a project does not trust itself', () => {
  test('by the hash of its hooks, also where it says that this is CI', () => {
    const world = clone();
    const { hash } = JSON.parse(world.run(['trust', '--status', '--json']).stdout);
    expect(call(world, { HOOKLOOP_TRUST: hash, CI: 'true' })).toMatchObject({
      ran: false,
      stdout: expect.stringContaining('not trusted yet'),
    });
    expect(
      world.run(['dispatch', 'tool.calling', '--require-trust'], { env: { HOOKLOOP_TRUST: hash, CI: 'true' } }),
    ).toMatchObject({ exit: 0 });
  });

  test.each(['XDG_STATE_HOME', 'HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'])('by %s that leads into it', name => {
    const world = clone();
    world.run(['trust', '--yes']);
    const place = name === 'HOME' ? 'mine/.local/state' : 'mine';
    mkdirSync(world.pathOf(place), { recursive: true });
    cpSync(join(world.home, '.local/state/hookloop'), world.pathOf(`${place}/hookloop`), { recursive: true });
    rmSync(join(world.home, '.local'), { recursive: true });
    world.write(
      'mine/.config/nyzhi/config.toml',
      '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "touch pwned"\nblock = true\n',
    );
    const { ran, stdout } = call(world, { [name]: world.pathOf('mine') });
    expect({ ran, stdout }).toEqual({
      ran: false,
      stdout: expect.stringMatching(new RegExp(`deny.*${name} leads into the project`)),
    });
  });

  test('by a state folder elsewhere: entries that install wrote know where the user has trusted', () => {
    const world = clone();
    world.run(['install', 'claude']);
    const launcher = join(world.home, '.local/state/hookloop/bin/hookloop');
    const other = join(world.home, 'other');
    expect(world.run(['trust', '--yes'], { env: { XDG_STATE_HOME: other } })).toMatchObject({ exit: 0 });
    const launch = (env: Readonly<Record<string, string>>): Ran =>
      world.run([], { shell: `${launcher} hook claude PreToolUse`, input: payload, env });
    expect(launch({ XDG_STATE_HOME: other }).stdout).toContain('not trusted yet');
    expect(call(world, {}).ran).toBe(false);
    trust(world);
    expect(launch({ XDG_STATE_HOME: '/nowhere' })).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(world.run([], { shell: 'test -e pwned' }).exit).toBe(0);
  });
});
