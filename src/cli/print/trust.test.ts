import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeHooks, createSandbox, type Sandbox } from '../../hooks/trust/fixtures/sandbox.ts';

const judge =
  'judge: { agent: claude }\nhooks:\n  task.completing:\n    - { type: prompt, prompt: Is it done?, block: true }\n';

/** With a script that is executable, and one that a shell reads. */
function project(): Sandbox {
  const sandbox = createSandbox();
  sandbox.write('.claude/settings.json', claudeHooks.replace('exit 2', 'sh stop.sh'));
  sandbox.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  sandbox.write('stop.sh', 'echo first\n');
  sandbox.write('hookloop.yaml', judge);
  return sandbox;
}

async function trusted(): Promise<Sandbox> {
  const sandbox = project();
  expect(await sandbox.trust(['--yes'])).toMatchObject({ exit: 0 });
  return sandbox;
}

const changesIn = (stdout: string): string => stdout.split('What has changed since you trusted them:\n\n')[1] ?? '';

test('a script is told with the beginning of its hash, and whether it is executable', async () => {
  const { stdout } = await project().trust([]);
  expect(stdout).toMatch(/^ {2}script gate\.sh {2}executable, sha256 [0-9a-f]{12}$/m);
  expect(stdout).toMatch(/^ {2}script stop\.sh {2}sha256 [0-9a-f]{12}$/m);
});

test('a hook is told by the name that its author has given to it', async () => {
  const sandbox = createSandbox();
  sandbox.write(
    'hookloop.yaml',
    'hooks:\n  task.completing:\n    - { shell: npm test, name: unit tests }\n    - npm run lint\n',
  );
  const { stdout } = await sandbox.trust([]);
  expect(stdout).toContain('  task.completing  "unit tests"  hookloop.yaml:3  blocks\n    | npm test\n');
  expect(stdout).toContain('  task.completing  hookloop.yaml:4  blocks\n    | npm run lint\n');
});

test('the status says what to do where hooks are not trusted, and only there', async () => {
  const sandbox = project();
  const hint = 'To look at them and accept them: hookloop trust\n';
  expect((await sandbox.trust(['--status'])).stdout).toContain(hint);
  await sandbox.trust(['--yes']);
  expect((await sandbox.trust(['--status'])).stdout).not.toContain(hint);
});

test('a setting that the project does not make is not told', async () => {
  const { stdout } = await project().trust([]);
  expect(stdout).toContain('  setting judge: claude\n');
  expect(stdout).not.toContain('undefined');
});

test('where a script alone has changed, that is all there is to see', async () => {
  const sandbox = await trusted();
  sandbox.write('stop.sh', 'echo second\n');
  const { stdout } = await sandbox.trust([]);
  expect(changesIn(stdout)).toBe(
    '  --- a/stop.sh\n  +++ b/stop.sh\n  @@ -1,1 +1,1 @@\n  -echo first\n  +echo second\n\n',
  );
});

test('a change is shown whatever the name of the script', async () => {
  const sandbox = createSandbox();
  sandbox.write('.claude/settings.json', claudeHooks.replace('gate.sh', "'a  gate.sh'"));
  sandbox.write('a  gate.sh', 'echo first\n', 0o755);
  await sandbox.trust(['--yes']);
  sandbox.write('a  gate.sh', 'echo second\n', 0o755);
  expect(changesIn((await sandbox.trust([])).stdout)).toContain(
    '  +++ b/a gate.sh\n  @@ -1,1 +1,1 @@\n  -echo first\n',
  );
});

test.each([
  ['gate.sh', 0o644, 'gate.sh is no longer executable'],
  ['stop.sh', 0o755, 'stop.sh is executable now'],
])('that the mode of %s has changed is told in words', async (script, mode, words) => {
  const sandbox = await trusted();
  sandbox.write(script, script === 'gate.sh' ? '#!/bin/sh\nexit 2\n' : 'echo first\n', mode);
  expect(changesIn((await sandbox.trust([])).stdout)).toBe(`  ${words}\n\n`);
});

test('a program that is no text is told, as changed, with another mode, new and gone', async () => {
  const sandbox = project();
  sandbox.write('gate.sh', 'a\0b', 0o755);
  await sandbox.trust(['--yes']);
  const changes = async (): Promise<string> => changesIn((await sandbox.trust([])).stdout);
  sandbox.write('gate.sh', 'a\0c', 0o755);
  expect(await changes()).toBe('  gate.sh has changed; it is not text, so it cannot be shown\n\n');
  sandbox.write('gate.sh', 'a\0b', 0o644);
  expect(await changes()).toBe('  gate.sh is no longer executable\n\n');
  rmSync(join(sandbox.project, 'gate.sh'));
  expect(await changes()).toBe('  gate.sh is gone, or no hook names it any more\n\n');
  await sandbox.trust(['--yes']);
  sandbox.write('gate.sh', 'a\0b', 0o755);
  expect(await changes()).toBe('  gate.sh is new; it is not text, so it cannot be shown\n\n');
});

test('a secret that has changed is told, and not shown', async () => {
  const sandbox = project();
  sandbox.env['MY_TOKEN'] = 'first-secret-value';
  sandbox.write('stop.sh', 'echo first-secret-value\n');
  await sandbox.trust(['--yes']);
  sandbox.env['MY_TOKEN'] = 'other-secret-value';
  sandbox.env['OLD_TOKEN'] = 'first-secret-value';
  sandbox.write('stop.sh', 'echo other-secret-value\n');
  expect(changesIn((await sandbox.trust([])).stdout)).toBe('  stop.sh: a secret in it has changed\n\n');
});

test('a hook file that is new is shown once', async () => {
  const sandbox = await trusted();
  sandbox.write('.sauna/hooks.json', '["npm test"]');
  const { stdout } = await sandbox.trust([]);
  expect(stdout).toContain('.sauna/hooks.json  not trusted yet\n');
  expect(stdout.split('npm test')).toHaveLength(2);
});

test('a hook file that is gone is told with what it ran', async () => {
  const sandbox = await trusted();
  rmSync(join(sandbox.project, '.claude'), { recursive: true });
  const { stdout } = await sandbox.trust([]);
  expect(stdout).toMatch(/^1 hook of /);
  expect(stdout).toContain('\n.claude/settings.json was trusted and has no hooks any more.\n');
  expect(changesIn(stdout)).toBe(
    [
      '  .claude/settings.json no longer runs:',
      '  -  tool.calling  "$CLAUDE_PROJECT_DIR"/gate.sh',
      '  -  tool.called  echo seen',
      '  -  turn.ending  sh stop.sh',
      '  gate.sh is gone, or no hook names it any more',
      '  stop.sh is gone, or no hook names it any more',
      '',
      '',
    ].join('\n'),
  );
  const status = await sandbox.trust(['--status']);
  expect(status.stdout).toContain('  .claude/settings.json: gone since they were trusted\n');
});

test('where no hooks are left, that is what is to be accepted', async () => {
  const sandbox = await trusted();
  rmSync(join(sandbox.project, '.claude'), { recursive: true });
  rmSync(join(sandbox.project, 'hookloop.yaml'));
  const { stdout, stderr } = await sandbox.trust([]);
  expect(stdout).toMatch(/^No hook of \S+ would run on its own\.\n\n\.claude\/settings\.json was trusted/);
  expect(stderr).toBe(
    'Nothing was changed: there is no terminal to ask on. To accept that they are gone: hookloop trust --yes\n',
  );
  expect((await sandbox.trust(['--yes'])).stdout).toMatch(/\nAccepted: no hook of this project needs trust now\.\n$/);
  expect(await sandbox.trust([])).toMatchObject({ exit: 0, stdout: expect.stringContaining('no hooks here') });
});

test('says whose trust is taken back, also where there was none', async () => {
  const sandbox = await trusted();
  expect((await sandbox.trust(['--revoke'])).stdout).toBe(`The hooks of ${sandbox.project} are no longer trusted.\n`);
  expect((await sandbox.trust(['--revoke'])).stdout).toBe(`The hooks of ${sandbox.project} were not trusted.\n`);
});
