import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bridgeTo } from './bridge.ts';

function bridge() {
  const folder = mkdtempSync(join(tmpdir(), 'hookloop-bridge-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, command: (agent: string) => `hookloop hook ${agent}` };
}

test('gemini, whose hooks do not fire over the protocol, is made to ask before every tool', () => {
  const { args: [flag, file] = [] } = bridgeTo('gemini', bridge(), {});
  expect(flag).toBe('--policy');
  expect(readFileSync(file!, 'utf8')).toContain('toolName = "*"\ndecision = "ask_user"');
  expect(statSync(file!).mode & 0o777).toBe(0o600);
});

test('opencode is made to ask before every tool, unless the user has set that up', () => {
  const { env = {} } = bridgeTo('opencode', bridge(), {});
  expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT']!)).toMatchObject({ permission: { '*': 'ask' } });
  expect(bridgeTo('opencode', bridge(), { OPENCODE_CONFIG_CONTENT: '{}' })).toEqual({});
});

test('the configuration of codex that the user has set stays beside our hooks', () => {
  const { env = {} } = bridgeTo('codex', bridge(), { CODEX_CONFIG: '{"model":"mine"}' });
  const { model, hooks } = JSON.parse(env['CODEX_CONFIG']!);
  expect(model).toBe('mine');
  expect(JSON.stringify(hooks.PreToolUse)).toContain('hookloop hook codex');
});

test('an agent that nobody knows gets nothing', () => expect(bridgeTo('constructor', bridge(), {})).toEqual({}));
