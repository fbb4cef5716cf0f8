import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runHere } from '../../../test/here.ts';
import { createSandbox, type Sandbox } from '../../hooks/trust/fixtures/sandbox.ts';

const check = (sandbox: Sandbox) => runHere({ project: sandbox.project, home: sandbox.env['HOME']! }, ['check']);
const gates = (...commands: string[]): string => JSON.stringify(commands, null, 1);

describe('check tells of scripts that a command names', () => {
  test.each([
    ['that are missing', './gone.sh --fast', 'gone.sh does not exist'],
    ['that an interpreter is to read and are missing', 'bash -eu tools/gone.sh', 'tools/gone.sh does not exist'],
    ['behind a variable for the project', '"$CLAUDE_PROJECT_DIR"/gone.sh', 'gone.sh does not exist'],
    ['behind other programs', 'timeout 5 env A=1 ./gone.sh', 'gone.sh does not exist'],
    ['that are not executable', './plain.sh', 'plain.sh is not executable, so this command cannot start it'],
    ['that are links to nothing', './dead.sh', 'dead.sh is a link to nothing'],
    ['that are folders', './tools', 'tools is a folder, not a script'],
  ])('%s', async (_what, command, message) => {
    const sandbox = scripts();
    sandbox.write('.sauna/hooks.json', gates(command));
    const { exit, stdout } = await check(sandbox);
    expect(stdout).toContain(`.sauna/hooks.json:2:`);
    expect(stdout).toContain(`warning: ${message}\n`);
    expect(exit).toBe(0);
  });

  test('at the command that cannot start it, though another of the line names it too', async () => {
    const sandbox = scripts();
    sandbox.write('.sauna/hooks.json', '["./gone.sh", "sh plain.sh", "./plain.sh"]\n');
    const { stdout } = await check(sandbox);
    expect(stdout).toContain('.sauna/hooks.json:1:33: warning: plain.sh is not executable');
    expect(stdout).toContain(`${' '.repeat(32)}^^^^^^^^`);
  });

  test('and not of those that are fine, are asked for before, or that no one can tell', async () => {
    const sandbox = scripts();
    sandbox.write(
      '.sauna/hooks.json',
      gates(
        './good.sh',
        'sh plain.sh',
        '[ -x ./gone.sh ] && ./gone.sh',
        'cd sub && ./gone.sh',
        '"$X"/gone.sh',
        'make gone',
      ),
    );
    expect(await check(sandbox)).toMatchObject({ exit: 0, stdout: '' });
  });

  test('nor of scripts that only some projects have, in the user’s own file', async () => {
    const sandbox = scripts();
    sandbox.write(
      join(sandbox.env['HOME']!, '.config/hookloop/hooks.yaml'),
      'hooks:\n  session.completed:\n    - {type: shell, command: ./gone.sh}\n',
    );
    expect(await check(sandbox)).toMatchObject({ exit: 0, stdout: '' });
  });
});

test.each([
  ['protect_hoks: false', /config\.yaml:1:1: error: unknown key "protect_hoks"(?:.|\n)*did you mean protect_hooks\?/],
  ['protect_hooks: maybe', /config\.yaml:1:16: error: expected true or false, found the text "maybe"/],
  ['protect_hooks: [', /config\.yaml:\d+:\d+: error: /],
])("check tells what is wrong with the user's own settings: %s", async (line, message) => {
  const sandbox = scripts();
  sandbox.write(join(sandbox.env['HOME']!, '.config/hookloop/config.yaml'), `${line}\n`);
  expect(await check(sandbox)).toMatchObject({ exit: 78, stdout: expect.stringMatching(message) });
});

test("check has nothing to say about the user's own settings where they are right", async () => {
  const sandbox = scripts();
  sandbox.write(join(sandbox.env['HOME']!, '.config/hookloop/config.yaml'), 'protect_hooks: false\n');
  expect(await check(sandbox)).toMatchObject({ exit: 0, stdout: '' });
});

function scripts(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write('good.sh', '#!/bin/sh\n', 0o755);
  sandbox.write('plain.sh', '#!/bin/sh\n');
  mkdirSync(join(sandbox.project, 'tools'));
  symlinkSync('nowhere', join(sandbox.project, 'dead.sh'));
  return sandbox;
}
