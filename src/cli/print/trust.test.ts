import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeHooks, createWorld, type World } from '../../hooks/trust/fixtures/project.ts';

const judge =
  'judge: { agent: claude }\nhooks:\n  task.completing:\n    - { type: prompt, prompt: Is it done?, block: true }\n';

/** With a script that is executable, and one that a shell reads. */
function project(): World {
  const world = createWorld();
  world.write('.claude/settings.json', claudeHooks.replace('exit 2', 'sh stop.sh'));
  world.write('gate.sh', '#!/bin/sh\nexit 2\n', 0o755);
  world.write('stop.sh', 'echo first\n');
  world.write('hookloop.yaml', judge);
  return world;
}

async function trusted(): Promise<World> {
  const world = project();
  expect(await world.trust(['--yes'])).toMatchObject({ exit: 0 });
  return world;
}

const changesIn = (stdout: string): string => stdout.split('What has changed since you trusted them:\n\n')[1] ?? '';

test('a script is told with the beginning of its hash, and whether it is executable', async () => {
  const { stdout } = await project().trust([]);
  expect(stdout).toMatch(/^ {2}script gate\.sh {2}executable, sha256 [0-9a-f]{12}$/m);
  expect(stdout).toMatch(/^ {2}script stop\.sh {2}sha256 [0-9a-f]{12}$/m);
});

test('the status says what to do where hooks are not trusted, and only there', async () => {
  const world = project();
  const hint = 'To look at them and accept them: hookloop trust\n';
  expect((await world.trust(['--status'])).stdout).toContain(hint);
  await world.trust(['--yes']);
  expect((await world.trust(['--status'])).stdout).not.toContain(hint);
});

test('a setting that the project does not make is not told', async () => {
  const { stdout } = await project().trust([]);
  expect(stdout).toContain('  setting judge: claude\n');
  expect(stdout).not.toContain('undefined');
});

test('where a script alone has changed, that is all there is to see', async () => {
  const world = await trusted();
  world.write('stop.sh', 'echo second\n');
  const { stdout } = await world.trust([]);
  expect(changesIn(stdout)).toBe(
    '  --- a/stop.sh\n  +++ b/stop.sh\n  @@ -1,1 +1,1 @@\n  -echo first\n  +echo second\n\n',
  );
});

test('a change is shown whatever the name of the script', async () => {
  const world = createWorld();
  world.write('.claude/settings.json', claudeHooks.replace('gate.sh', "'a  gate.sh'"));
  world.write('a  gate.sh', 'echo first\n', 0o755);
  await world.trust(['--yes']);
  world.write('a  gate.sh', 'echo second\n', 0o755);
  expect(changesIn((await world.trust([])).stdout)).toContain('  +++ b/a gate.sh\n  @@ -1,1 +1,1 @@\n  -echo first\n');
});

test.each([
  ['gate.sh', 0o644, 'gate.sh is no longer executable'],
  ['stop.sh', 0o755, 'stop.sh is executable now'],
])('that the mode of %s has changed is told in words', async (script, mode, words) => {
  const world = await trusted();
  world.write(script, script === 'gate.sh' ? '#!/bin/sh\nexit 2\n' : 'echo first\n', mode);
  expect(changesIn((await world.trust([])).stdout)).toBe(`  ${words}\n\n`);
});

test('a program that is no text is told, as changed, with another mode, new and gone', async () => {
  const world = project();
  world.write('gate.sh', 'a\0b', 0o755);
  await world.trust(['--yes']);
  const changes = async (): Promise<string> => changesIn((await world.trust([])).stdout);
  world.write('gate.sh', 'a\0c', 0o755);
  expect(await changes()).toBe('  gate.sh has changed; it is no text that could be shown\n\n');
  world.write('gate.sh', 'a\0b', 0o644);
  expect(await changes()).toBe('  gate.sh is no longer executable\n\n');
  rmSync(join(world.project, 'gate.sh'));
  expect(await changes()).toBe('  gate.sh is gone, or no hook names it any more\n\n');
  await world.trust(['--yes']);
  world.write('gate.sh', 'a\0b', 0o755);
  expect(await changes()).toBe('  gate.sh is new; it is no text that could be shown\n\n');
});

test('a secret that has changed is told, and not shown', async () => {
  const world = project();
  world.env['MY_TOKEN'] = 'first-secret-value';
  world.write('stop.sh', 'echo first-secret-value\n');
  await world.trust(['--yes']);
  world.env['MY_TOKEN'] = 'other-secret-value';
  world.env['OLD_TOKEN'] = 'first-secret-value';
  world.write('stop.sh', 'echo other-secret-value\n');
  expect(changesIn((await world.trust([])).stdout)).toBe('  stop.sh: a secret in it has changed\n\n');
});

test('a hook file that is new is shown once', async () => {
  const world = await trusted();
  world.write('.sauna/hooks.json', '["npm test"]');
  const { stdout } = await world.trust([]);
  expect(stdout).toContain('.sauna/hooks.json  not trusted yet\n');
  expect(stdout.split('npm test')).toHaveLength(2);
});

test('a hook file that is gone is told with what it ran', async () => {
  const world = await trusted();
  rmSync(join(world.project, '.claude'), { recursive: true });
  const { stdout } = await world.trust([]);
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
  const status = await world.trust(['--status']);
  expect(status.stdout).toContain('  .claude/settings.json: gone since they were trusted\n');
});

test('where no hooks are left, that is what is to be accepted', async () => {
  const world = await trusted();
  rmSync(join(world.project, '.claude'), { recursive: true });
  rmSync(join(world.project, 'hookloop.yaml'));
  const { stdout, stderr } = await world.trust([]);
  expect(stdout).toMatch(/^No hook of \S+ would run by itself\.\n\n\.claude\/settings\.json was trusted/);
  expect(stderr).toBe(
    'Nothing was changed: there is no terminal to ask on. To accept that they are gone: hookloop trust --yes\n',
  );
  expect((await world.trust(['--yes'])).stdout).toMatch(
    /\nAccepted: no hook of this project needs trust any more\.\n$/,
  );
  expect(await world.trust([])).toMatchObject({ exit: 0, stdout: expect.stringContaining('no hooks here') });
});

test('says whose trust is taken back, also where there was none', async () => {
  const world = await trusted();
  expect((await world.trust(['--revoke'])).stdout).toBe(`The hooks of ${world.project} are trusted no longer.\n`);
  expect((await world.trust(['--revoke'])).stdout).toBe(`The hooks of ${world.project} were not trusted.\n`);
});
