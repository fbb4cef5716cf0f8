import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { somewhere } from '../../../test/contracts/dialect.ts';
import { normaliseText } from '../../../test/contracts/found.ts';
import type { HookDefinition, HookEvent } from '../../model/index.ts';
import { nyzhi } from '../index.ts';

describe('what a nyzhi hook sees', () => {
  const edit = hookOf('event = "after_edit"\ncommand = "printf %s {file}"');

  test('is the event as JSON on stdin, under the names of its own dialect', () => {
    const hook = hookOf('event = "post_tool_use"\ncommand = "cat"');
    const event: HookEvent = {
      name: 'tool.called',
      session: 's',
      at: '2026-01-01T00:00:00.000Z',
      tool: 'Bash',
      input: { command: 'ls' },
      output: ['a'],
      maxIterations: 3,
    };
    expect(stdinOf(hook, event)).toEqual({
      event: 'post_tool_use',
      cwd: '/p',
      session: 's',
      session_id: 's',
      timestamp: '2026-01-01T00:00:00.000Z',
      tool_name: 'Bash',
      tool_args: { command: 'ls' },
      tool_input: { command: 'ls' },
      output: ['a'],
      tool_output: ['a'],
      success: true,
      max_iterations: 3,
    });
  });

  test('names tasks, files, errors and prompts', () => {
    const fields = { cwd: '/c', taskId: '1', content: 'do it', file: 'a.rs', error: 'boom', message: 'hello' };
    expect(stdinOf(edit, { name: 'prompt.submitting', ...fields })).toEqual({
      event: 'after_edit',
      cwd: '/c',
      task_id: '1',
      task_content: 'do it',
      task_subject: 'do it',
      file: 'a.rs',
      file_path: 'a.rs',
      error: 'boom',
      message: 'hello',
      prompt: 'hello',
    });
  });

  test('has foreign fields untouched, but they do not replace known ones', () => {
    const extra = JSON.parse('{"event":"x","cwd":"y","team":{"a":[1]},"__proto__":{"polluted":true}}');
    const { env, stdin } = present(edit, { name: 'file.edited', extra });
    expect(stdin).toBe('{"event":"after_edit","cwd":"/p","team":{"a":[1]},"__proto__":{"polluted":true}}\n');
    expect(env).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
  });

  test('leaves out what JSON cannot hold', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(stdinOf(edit, { name: 'file.edited', file: 'a', input: cycle, output: 1n })).toEqual({
      event: 'after_edit',
      cwd: '/p',
      file: 'a',
      file_path: 'a',
    });
  });

  test.each(['a b.rs', 'a$(touch PWNED)', 'it\'s "q" `x`', 'new\nline', 'ä*', '_x', '7', './-x', '../-x', '/-x', ''])(
    'is the file %j as the agent gave it',
    file => {
      expect(run(edit, { name: 'file.edited', file })).toBe(file);
    },
  );

  test.each([
    '--version',
    '+!touch PWNED',
    '.eslintrc',
    '~x',
    '$(touch PWNED)',
    '!touch PWNED',
    '@x',
    ' x',
    '|x',
    ':x',
  ])('is an absolute path where the file %j could look like an option or a command', file => {
    expect(run(edit, { name: 'file.edited', file })).toBe(`/p/${file}`);
  });

  test.each([
    ['\0-delete', '/p/-delete'],
    ['\0\0+x', '/p/+x'],
    ['-\0x', '/p/-x'],
    ['.\0.\0/x', '../x'],
    ['\0/x', '/x'],
    ['a\0b', 'ab'],
  ])('is the path %j as %j, judged without its NUL characters', (file, path) => {
    expect(present(edit, { name: 'file.edited', file }).env['HOOK_FILE']).toBe(path);
  });
});

const stdinOf = (hook: HookDefinition, event: HookEvent): unknown => JSON.parse(present(hook, event).stdin ?? '');

function run(hook: HookDefinition, event: HookEvent): string {
  if (hook.action.kind !== 'shell' || hook.action.run.via !== 'sh') throw new Error('not an sh hook');
  const { env, stdin } = present(hook, event);
  return spawnSync('sh', ['-c', hook.action.run.script], { env, input: stdin, encoding: 'utf8' }).stdout;
}

function present(hook: HookDefinition, event: HookEvent) {
  const carried = { lastHookStatus: '', hookResponse: '', spawnOutput: '' } as const;
  return nyzhi.present(event, hook, { places: somewhere, carried, env: {} });
}

function hookOf(entry: string): HookDefinition {
  return normalise(`[[agent.hooks]]\n${entry}\n`).hooks[0]!;
}

function normalise(text: string) {
  return normaliseText(nyzhi, text);
}
