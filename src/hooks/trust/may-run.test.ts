import { chmodSync, cpSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeHooks, createSandbox, type Sandbox } from './fixtures/sandbox.ts';

async function trusted(): Promise<Sandbox> {
  const sandbox = untrusted();
  expect(await sandbox.trust(['--yes'])).toMatchObject({ exit: 0 });
  return sandbox;
}

function untrusted(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write('.claude/settings.json', claudeHooks);
  sandbox.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  return sandbox;
}

const refuses = (sandbox: Sandbox, cwd?: string): string | undefined => sandbox.ask('tool.calling', cwd).refusal;

describe('hooks that no one has trusted', () => {
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
    const sandbox = untrusted();
    sandbox.write(
      join(sandbox.env['HOME']!, '.config/hookloop/hooks.yaml'),
      'hooks:\n  tool.called: [{type: shell, command: echo mine}]\n',
    );
    expect(sandbox.ask('tool.called').hooks.map(({ source }) => source.scope)).toEqual(['user']);
  });

  test('refuse nothing to the agent that runs them itself', () => {
    const sandbox = untrusted();
    expect(sandbox.ask('tool.calling', sandbox.project, 'claude')).toEqual({ hooks: [] });
    sandbox.write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\n', 0o755);
    expect(sandbox.ask('tool.calling', sandbox.project, 'claude').refusal).toContain('.a5c/hooks/PreToolUse/x.sh: not');
  });

  test('do not put out the user’s own hooks', () => {
    const sandbox = createSandbox();
    sandbox.write(
      join(sandbox.env['HOME']!, '.config/hookloop/hooks.yaml'),
      'hooks:\n  tool.called: [{type: shell, command: echo mine}]\n',
    );
    sandbox.write('hookloop.yaml', 'disable_global_hooks: true\n');
    expect(sandbox.plan().hooks).toMatchObject([{ disabled: 'disable_global_hooks in hookloop.yaml' }]);
    expect(sandbox.ask('tool.called').hooks[0]).not.toHaveProperty('disabled');
  });

  test('need trust as well where they call themselves a plugin', () => {
    const sandbox = createSandbox();
    sandbox.write('plugins/babysitter/hooks/PreToolUse/x.sh', '#!/bin/sh\n', 0o755);
    expect(refuses(sandbox)).toContain('plugins/babysitter/hooks/PreToolUse/x.sh');
  });
});

describe('trusted hooks', () => {
  test('run', async () => {
    const sandbox = await trusted();
    expect(sandbox.ask('tool.calling')).toMatchObject({ hooks: [{ spelling: 'PreToolUse' }] });
    expect(sandbox.ask('turn.ending').hooks).toHaveLength(1);
    expect(refuses(sandbox)).toBeUndefined();
  });

  test.each<[string, (sandbox: Sandbox) => void]>([
    [
      'the hook file is edited',
      sandbox => sandbox.write('.claude/settings.json', claudeHooks.replace('Bash', 'Write')),
    ],
    ['the gate is taken out of the file', sandbox => sandbox.write('.claude/settings.json', '{"hooks":{}}')],
    ['the hook file no longer parses', sandbox => sandbox.write('.claude/settings.json', '{')],
    ['the hook file is deleted', sandbox => rmSync(join(sandbox.project, '.claude'), { recursive: true })],
    ['a script is edited in place', sandbox => sandbox.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755)],
    ['a script can no longer be executed', sandbox => chmodSync(join(sandbox.project, 'gate.sh'), 0o644)],
    ['a script is deleted', sandbox => rmSync(join(sandbox.project, 'gate.sh'))],
    ['all hooks are put out', sandbox => sandbox.write('.claude/settings.local.json', '{"disableAllHooks":true}')],
    ['another file brings a gate', sandbox => sandbox.write('.a5c/hooks/PreToolUse/x.sh', '#!/bin/sh\n', 0o755)],
    [
      'the hooks and the repository are deleted',
      sandbox => {
        rmSync(join(sandbox.project, '.claude'), { recursive: true });
        rmSync(join(sandbox.project, '.git'), { recursive: true });
      },
    ],
  ])('refuse after %s', async (_title, change) => {
    const sandbox = await trusted();
    change(sandbox);
    expect(refuses(sandbox)).toContain('hookloop trust');
    const { exit } = await sandbox.trust(['--status']);
    expect(exit).toBe(1);
  });

  test('of a gate that became an observer refuse', async () => {
    const sandbox = createSandbox();
    const gate = (block: boolean) => `[[agent.hooks]]\nevent = "pre_tool"\ncommand = "exit 1"\nblock = ${block}\n`;
    sandbox.write('.nyzhi/config.toml', gate(true));
    await sandbox.trust(['--yes']);
    sandbox.write('.nyzhi/config.toml', gate(false));
    expect(refuses(sandbox)).toContain('changed since they were trusted');
  });

  test('stay trusted when only lines and the order of fields change', async () => {
    const sandbox = createSandbox();
    sandbox.write(
      'hookloop.yaml',
      'hooks:\n  tool.calling:\n    - type: shell\n      command: exit 0\n      timeout: 5\n',
    );
    await sandbox.trust(['--yes']);
    sandbox.write(
      'hookloop.yaml',
      '# a comment\n\nhooks:\n  tool.calling:\n    - timeout: 5\n      command: exit 0\n      type: shell\n',
    );
    expect(sandbox.ask('tool.calling').hooks).toHaveLength(1);
  });

  test('are trusted again after a second look', async () => {
    const sandbox = await trusted();
    rmSync(join(sandbox.project, '.claude'), { recursive: true });
    expect(refuses(sandbox)).toContain('gone since they were trusted');
    await sandbox.trust(['--yes']);
    expect(refuses(sandbox)).toBeUndefined();
  });

  test('are not trusted after they were revoked', async () => {
    const sandbox = await trusted();
    expect(await sandbox.trust(['--revoke'])).toMatchObject({ exit: 0 });
    expect(refuses(sandbox)).toContain('not trusted yet');
  });

  test('hold through another name of the folder', async () => {
    const sandbox = await trusted();
    symlinkSync(sandbox.project, join(sandbox.base, 'link'));
    expect(sandbox.ask('tool.calling', join(sandbox.base, 'link'))).toMatchObject({ hooks: [{}] });
  });

  test('do not hold for a copy or in another place', async () => {
    const sandbox = await trusted();
    cpSync(sandbox.project, join(sandbox.base, 'copy'), { recursive: true });
    expect(refuses(sandbox, join(sandbox.base, 'copy'))).toContain('not trusted yet');
    renameSync(sandbox.project, join(sandbox.base, 'moved'));
    expect(refuses(sandbox, join(sandbox.base, 'moved'))).toContain('not trusted yet');
  });

  test('are not taken away by a new hook file in a folder of the project, which needs trust of its own', async () => {
    const sandbox = await trusted();
    sandbox.write('sub/.sauna/hooks.json', '["make test"]');
    const inside = join(sandbox.project, 'sub');
    const gate = { source: { file: '../.claude/settings.json' }, root: sandbox.project };
    expect(sandbox.ask('tool.calling', inside)).toMatchObject({ hooks: [gate] });
    expect(sandbox.ask('tool.calling', inside, 'claude')).toMatchObject({ hooks: [gate] });
    expect(sandbox.ask('task.completing', inside).refusal).toContain('.sauna/hooks.json: not trusted yet');
    sandbox.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755);
    expect(refuses(sandbox, inside)).toContain('../.claude/settings.json: changed since');
    await sandbox.trust(['--yes'], inside);
    expect(sandbox.ask('tool.calling', inside)).toMatchObject({ hooks: [gate] });
    rmSync(join(sandbox.project, '.claude'), { recursive: true });
    expect(refuses(sandbox, inside)).toContain('../.claude/settings.json: gone since');
  });

  test('are missed in a nested root also where only the outer project has been trusted', async () => {
    const sandbox = await trusted();
    rmSync(join(sandbox.project, '.claude'), { recursive: true });
    sandbox.write('sub/.sauna/hooks.json', '["make test"]');
    expect(refuses(sandbox, join(sandbox.project, 'sub'))).toContain('../.claude/settings.json: gone since');
    expect(sandbox.ask('tool.calling', join(sandbox.project, 'sub'), 'claude').refusal).toContain('gone since');
  });

  test('are not taken away by a new repository in a folder of the project', async () => {
    const sandbox = await trusted();
    sandbox.write('sub/x.txt', '');
    expect(refuses(sandbox, join(sandbox.project, 'sub'))).toBeUndefined();
    sandbox.write('sub/.git/HEAD', '');
    expect(refuses(sandbox, join(sandbox.project, 'sub'))).toContain(`inside ${sandbox.project}`);
    await sandbox.trust(['--yes'], join(sandbox.project, 'sub'));
    expect(refuses(sandbox, join(sandbox.project, 'sub'))).toBeUndefined();
  });

  test('do not count the entries that install wrote', async () => {
    const sandbox = await trusted();
    const entry = "'/opt/hookloop' hook claude PreToolUse || exit 2 # hookloop";
    sandbox.write(
      '.claude/settings.local.json',
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: entry }] }] } }),
    );
    expect(refuses(sandbox)).toBeUndefined();
  });
});

describe('HOOKLOOP_TRUST', () => {
  const hashOf = async (sandbox: Sandbox): Promise<string> =>
    JSON.parse((await sandbox.trust(['--status', '--json'])).stdout).hash;

  test('trusts exactly the state whose hash it is, and only where CI is set', async () => {
    const sandbox = untrusted();
    sandbox.env['HOOKLOOP_TRUST'] = await hashOf(sandbox);
    for (const CI of [undefined, '', 'false', '0']) {
      if (CI === undefined) delete sandbox.env['CI'];
      else sandbox.env['CI'] = CI;
      expect(refuses(sandbox)).toContain('not trusted yet');
    }
    sandbox.env['CI'] = 'true';
    expect(sandbox.ask('tool.calling')).toMatchObject({ hooks: [{}] });
    sandbox.write('gate.sh', '#!/bin/sh\nexit 0\n', 0o755);
    expect(refuses(sandbox)).toContain('HOOKLOOP_TRUST is not the hash');
    rmSync(join(sandbox.project, '.claude'), { recursive: true });
    expect(refuses(sandbox)).toContain('HOOKLOOP_TRUST is not the hash');
  });

  test('has the same value in another place', async () => {
    const [a, b] = [untrusted(), untrusted()];
    expect(await hashOf(a)).toBe(await hashOf(b));
  });
});
