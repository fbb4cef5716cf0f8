import { chmodSync, cpSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeHooks, createWorld, type World } from './fixtures/project.ts';

async function trusted(): Promise<World> {
  const world = untrusted();
  expect(await world.trust(['--yes'])).toMatchObject({ exit: 0 });
  return world;
}

function untrusted(): World {
  const world = createWorld();
  world.write('.claude/settings.json', claudeHooks);
  world.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  return world;
}

const refuses = (world: World, cwd?: string): string | undefined => world.ask('tool.calling', cwd).refusal;

describe('hooks that nobody has trusted', () => {
  test('refuse where they are gates, and the text says what to do', () => {
    expect(untrusted().ask('tool.calling')).toEqual({
      hooks: [],
      refusal: expect.stringMatching(/^hookloop: refused, .*settings\.json: not trusted yet.*hookloop trust$/),
    });
  });

  test('are skipped with one line where they only look on', () => {
    expect(untrusted().ask('tool.called')).toEqual({
      hooks: [],
      note: 'hookloop: hooks of .claude/settings.json were skipped: not trusted yet; to look at them: hookloop trust',
    });
  });

  test('do not hold up the end of a turn', () => {
    expect(untrusted().ask('turn.ending')).toEqual({ hooks: [], note: expect.stringContaining('hookloop trust') });
  });

  test('refuse nothing where no gate of theirs stands', () => {
    expect(untrusted().ask('prompt.submitting')).toEqual({ hooks: [] });
  });

  test('are no obstacle for the user’s own hooks', () => {
    const world = untrusted();
    world.write(
      join(world.env['HOME']!, '.config/hookloop/hooks.yaml'),
      'hooks:\n  tool.called: [{type: shell, command: echo mine}]\n',
    );
    expect(world.ask('tool.called').hooks.map(({ source }) => source.scope)).toEqual(['user']);
  });

  test('refuse nothing to the agent that runs them itself', () => {
    const world = untrusted();
    expect(world.ask('tool.calling', world.project, 'claude')).toEqual({ hooks: [] });
    world.write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\n', 0o755);
    expect(world.ask('tool.calling', world.project, 'claude').refusal).toContain('.a5c/hooks/PreToolUse/x.sh: not');
  });

  test('do not put out the user’s own hooks', () => {
    const world = createWorld();
    world.write(
      join(world.env['HOME']!, '.config/hookloop/hooks.yaml'),
      'hooks:\n  tool.called: [{type: shell, command: echo mine}]\n',
    );
    world.write('hookloop.yaml', 'disable_global_hooks: true\n');
    expect(world.plan().hooks).toMatchObject([{ disabled: 'disable_global_hooks in hookloop.yaml' }]);
    expect(world.ask('tool.called').hooks[0]).not.toHaveProperty('disabled');
  });

  test('need trust as well where they call themselves a plugin', () => {
    const world = createWorld();
    world.write('plugins/babysitter/hooks/PreToolUse/x.sh', '#!/bin/sh\n', 0o755);
    expect(refuses(world)).toContain('plugins/babysitter/hooks/PreToolUse/x.sh');
  });
});

describe('trusted hooks', () => {
  test('run', async () => {
    const world = await trusted();
    expect(world.ask('tool.calling')).toMatchObject({ hooks: [{ spelling: 'PreToolUse' }] });
    expect(world.ask('turn.ending').hooks).toHaveLength(1);
    expect(refuses(world)).toBeUndefined();
  });

  test.each<[string, (world: World) => void]>([
    ['the hook file is edited', world => world.write('.claude/settings.json', claudeHooks.replace('Bash', 'Write'))],
    ['the gate is taken out of the file', world => world.write('.claude/settings.json', '{"hooks":{}}')],
    ['the hook file no longer parses', world => world.write('.claude/settings.json', '{')],
    ['the hook file is deleted', world => rmSync(join(world.project, '.claude'), { recursive: true })],
    ['a script is edited in place', world => world.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755)],
    ['a script can no longer be executed', world => chmodSync(join(world.project, 'gate.sh'), 0o644)],
    ['a script is deleted', world => rmSync(join(world.project, 'gate.sh'))],
    ['all hooks are put out', world => world.write('.claude/settings.local.json', '{"disableAllHooks":true}')],
    ['another file brings a gate', world => world.write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\n', 0o755)],
    [
      'the hooks and the repository are deleted',
      world => {
        rmSync(join(world.project, '.claude'), { recursive: true });
        rmSync(join(world.project, '.git'), { recursive: true });
      },
    ],
  ])('refuse after %s', async (_title, change) => {
    const world = await trusted();
    change(world);
    expect(refuses(world)).toContain('hookloop trust');
    const { exit } = await world.trust(['--status']);
    expect(exit).toBe(1);
  });

  test('of a gate that became an observer refuse', async () => {
    const world = createWorld();
    const gate = (block: boolean) => `[[agent.hooks]]\nevent = "pre_tool"\ncommand = "exit 1"\nblock = ${block}\n`;
    world.write('.nyzhi/config.toml', gate(true));
    await world.trust(['--yes']);
    world.write('.nyzhi/config.toml', gate(false));
    expect(refuses(world)).toContain('changed since they were trusted');
  });

  test('stay trusted when only lines and the order of fields change', async () => {
    const world = createWorld();
    world.write(
      'hookloop.yaml',
      'hooks:\n  tool.calling:\n    - type: shell\n      command: exit 0\n      timeout: 5\n',
    );
    await world.trust(['--yes']);
    world.write(
      'hookloop.yaml',
      '# a comment\n\nhooks:\n  tool.calling:\n    - timeout: 5\n      command: exit 0\n      type: shell\n',
    );
    expect(world.ask('tool.calling').hooks).toHaveLength(1);
  });

  test('are trusted again after a second look', async () => {
    const world = await trusted();
    rmSync(join(world.project, '.claude'), { recursive: true });
    expect(refuses(world)).toContain('gone since they were trusted');
    await world.trust(['--yes']);
    expect(refuses(world)).toBeUndefined();
  });

  test('are not trusted after they were revoked', async () => {
    const world = await trusted();
    expect(await world.trust(['--revoke'])).toMatchObject({ exit: 0 });
    expect(refuses(world)).toContain('not trusted yet');
  });

  test('hold through another name of the folder', async () => {
    const world = await trusted();
    symlinkSync(world.project, join(world.base, 'link'));
    expect(world.ask('tool.calling', join(world.base, 'link'))).toMatchObject({ hooks: [{}] });
  });

  test('do not hold for a copy or in another place', async () => {
    const world = await trusted();
    cpSync(world.project, join(world.base, 'copy'), { recursive: true });
    expect(refuses(world, join(world.base, 'copy'))).toContain('not trusted yet');
    renameSync(world.project, join(world.base, 'moved'));
    expect(refuses(world, join(world.base, 'moved'))).toContain('not trusted yet');
  });

  test('are not taken away by a new hook file in a folder of the project, which needs trust of its own', async () => {
    const world = await trusted();
    world.write('sub/.sauna/hooks.json', '["make test"]');
    const inside = join(world.project, 'sub');
    const gate = { source: { file: '../.claude/settings.json' }, root: world.project };
    expect(world.ask('tool.calling', inside)).toMatchObject({ hooks: [gate] });
    expect(world.ask('tool.calling', inside, 'claude')).toMatchObject({ hooks: [gate] });
    expect(world.ask('task.completing', inside).refusal).toContain('.sauna/hooks.json: not trusted yet');
    world.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755);
    expect(refuses(world, inside)).toContain('../.claude/settings.json: changed since');
    await world.trust(['--yes'], inside);
    expect(world.ask('tool.calling', inside)).toMatchObject({ hooks: [gate] });
    rmSync(join(world.project, '.claude'), { recursive: true });
    expect(refuses(world, inside)).toContain('../.claude/settings.json: gone since');
  });

  test('are missed in a nested root also where only the outer project has been trusted', async () => {
    const world = await trusted();
    rmSync(join(world.project, '.claude'), { recursive: true });
    world.write('sub/.sauna/hooks.json', '["make test"]');
    expect(refuses(world, join(world.project, 'sub'))).toContain('../.claude/settings.json: gone since');
    expect(world.ask('tool.calling', join(world.project, 'sub'), 'claude').refusal).toContain('gone since');
  });

  test('are not taken away by a new repository in a folder of the project', async () => {
    const world = await trusted();
    world.write('sub/x.txt', '');
    expect(refuses(world, join(world.project, 'sub'))).toBeUndefined();
    world.write('sub/.git/HEAD', '');
    expect(refuses(world, join(world.project, 'sub'))).toContain(`inside of ${world.project}`);
    await world.trust(['--yes'], join(world.project, 'sub'));
    expect(refuses(world, join(world.project, 'sub'))).toBeUndefined();
  });

  test('do not count the entries that install wrote', async () => {
    const world = await trusted();
    const entry = "'/opt/hookloop' hook claude PreToolUse || exit 2 # hookloop";
    world.write(
      '.claude/settings.local.json',
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: entry }] }] } }),
    );
    expect(refuses(world)).toBeUndefined();
  });
});

describe('HOOKLOOP_TRUST', () => {
  const hashOf = async (world: World): Promise<string> =>
    JSON.parse((await world.trust(['--status', '--json'])).stdout).hash;

  test('trusts exactly the state whose hash it is, and only where CI is set', async () => {
    const world = untrusted();
    world.env['HOOKLOOP_TRUST'] = await hashOf(world);
    for (const CI of [undefined, '', 'false', '0']) {
      if (CI === undefined) delete world.env['CI'];
      else world.env['CI'] = CI;
      expect(refuses(world)).toContain('not trusted yet');
    }
    world.env['CI'] = 'true';
    expect(world.ask('tool.calling')).toMatchObject({ hooks: [{}] });
    world.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755);
    expect(refuses(world)).toContain('HOOKLOOP_TRUST is not the hash');
    rmSync(join(world.project, '.claude'), { recursive: true });
    expect(refuses(world)).toContain('HOOKLOOP_TRUST is not the hash');
  });

  test('has the same value in another place', async () => {
    const [a, b] = [untrusted(), untrusted()];
    expect(await hashOf(a)).toBe(await hashOf(b));
  });
});
