import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { EventName } from '../model/index.ts';
import { createInSessionHooks } from './in-session.ts';

function hooksInSession(...wanted: EventName[]) {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-in-session-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return createInSessionHooks(
    agent => `hookloop hook ${agent}`,
    folder,
    event => wanted.includes(event),
  );
}

test('gemini, whose hooks do not fire over the protocol, is made to ask before every tool', async () => {
  const { args: [flag, file] = [] } = await hooksInSession()('gemini', {});
  expect(flag).toBe('--policy');
  expect(readFileSync(file!, 'utf8')).toContain('toolName = "*"\ndecision = "ask_user"');
  expect(statSync(file!).mode & 0o777).toBe(0o600);
});

test('opencode is made to ask before every tool, unless the user has set that up', async () => {
  const { env = {} } = await hooksInSession()('opencode', {});
  expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT']!)).toMatchObject({ permission: { '*': 'ask' } });
  expect(await hooksInSession()('opencode', { OPENCODE_CONFIG_CONTENT: '{}' })).toEqual({});
});

test('the configuration of codex that the user has set stays beside our hooks', async () => {
  const { env = {} } = await hooksInSession()('codex', { CODEX_CONFIG: '{"model":"mine"}' });
  const { model, hooks } = JSON.parse(env['CODEX_CONFIG']!);
  expect(model).toBe('mine');
  expect(JSON.stringify(hooks.PreToolUse)).toContain('hookloop hook codex');
});

test('of subagents, compactions and the like an agent tells where a hook of the session is for it', async () => {
  const plugged = async (...wanted: EventName[]) => {
    const { env = {} } = await hooksInSession(...wanted)('codex', {});
    return Object.keys(JSON.parse(env['CODEX_CONFIG']!).hooks);
  };
  expect(await plugged()).toEqual(['PreToolUse', 'PostToolUse']);
  expect(await plugged('subagent.ending', 'context.compacting', 'session.ended')).toEqual([
    ...['PreToolUse', 'PostToolUse', 'SubagentStop', 'PreCompact'],
  ]);
});

test('an agent that is not known gets nothing', async () =>
  expect(await hooksInSession()('constructor', {})).toEqual({}));
