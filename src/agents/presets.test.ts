import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { conversationOf, never, world } from '../../test/contracts/agent.ts';
import { findProgram } from './command-line.ts';
import { createPresetAgent, credentialsOf, presetNames, presets, reportsOf } from './presets.ts';

const fixture = fileURLToPath(new URL('../../test/fixtures/agents/acp-agent.mjs', import.meta.url));

function install(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

test.each(presetNames)('%s that is missing tells how to install it', async name => {
  const { start } = world();
  const started = await createPresetAgent(name)!.start({ ...start, env: { PATH: '/nowhere' } });
  expect(started).toMatchObject({
    kind: 'unavailable',
    hint: `to install it: npm install -g ${presets[name]!.package}`,
  });
});

test.each(presetNames)('%s is found in the project and spoken to', async name => {
  const { start, project } = world();
  const preset = presets[name]!;
  const program = join(project, "it's here/node_modules/.bin", preset.program);
  install(program, `#!/bin/sh\necho "$@" > "$SEEN"\nenv >> "$SEEN"\nexec '${process.execPath}' '${fixture}'\n`);
  const SEEN = join(project, 'seen');
  const cwd = join(project, "it's here/deep");
  mkdirSync(cwd);
  const started = await createPresetAgent(name)!.start({ ...start, cwd, env: { PATH: '/usr/bin:/bin', SEEN } });
  if (started.kind !== 'started') throw new Error(started.reason);
  onTestFinished(() => started.agent.stop());
  const conversation = await conversationOf(started.agent);
  expect(await conversation.prompt(['say hello'], { signal: never })).toMatchObject({ text: 'hello' });
  const told = expect.stringContaining(`To sign in: ${preset.signIn}`);
  expect(await conversation.prompt(['auth'], { signal: never })).toMatchObject({ kind: 'failed', reason: told });
});

test.each([
  ['opencode', 'OPENCODE_CONFIG_CONTENT', '{"permission":{"edit":"ask","bash":"ask"}}'],
  ['codex', 'INITIAL_AGENT_MODE', 'workspace-write'],
])('%s is started so that hooks decide, unless the user has set that up', async (name, variable, asking) => {
  const { start, project } = world();
  const SEEN = join(project, 'seen');
  const program = join(project, 'bin', presets[name]!.program);
  install(program, `#!/bin/sh\nprintf "%s" "$${variable}" > "$SEEN"\n`);
  const seenWith = async (env: Record<string, string>) => {
    await createPresetAgent(name)!.start({ ...start, env: { PATH: `${project}/bin:/usr/bin:/bin`, SEEN, ...env } });
    return readFileSync(SEEN, 'utf8');
  };
  expect(await seenWith({})).toBe(asking);
  expect(await seenWith({ [variable]: 'mine' })).toBe('mine');
});

describe('a program', () => {
  test('is looked for on PATH, in the project, then beside us', () => {
    const { project } = world();
    const search = {
      cwd: join(project, 'app/src'),
      searchPath: join(project, 'bin'),
      ownFile: join(project, 'own/lib/x.js'),
    };
    mkdirSync(search.cwd, { recursive: true });
    install(search.ownFile, '');
    const found = () => findProgram('agent', search);
    expect(found()).toBeUndefined();
    const ours = install(join(project, 'own/node_modules/.bin/agent'), '');
    expect(found()).toBe(ours);
    const theirs = install(join(project, 'app/node_modules/.bin/agent'), '');
    expect(found()).toBe(theirs);
    const onPath = install(join(project, 'bin/agent'), '');
    expect(found()).toBe(onPath);
    chmodSync(onPath, 0o644);
    expect(found()).toBe(theirs);
  });
});

test('only known agents have credentials', () => {
  expect(credentialsOf('claude')).toContain('ANTHROPIC_API_KEY');
  expect(credentialsOf('constructor')).toEqual([]);
  expect(createPresetAgent('constructor')).toBeUndefined();
});

test('of known agents it is known what they report', () => {
  expect(reportsOf('codex')).toEqual(['tokens', 'context']);
  expect(reportsOf('constructor')).toBeUndefined();
});
