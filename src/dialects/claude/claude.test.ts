import { describe, expect, test } from 'vitest';
import { somewhere, testDialect } from '../../../test/contracts/dialect.ts';
import type { HookEvent } from '../../model/index.ts';
import { claude } from '../index.ts';

testDialect(claude, new URL('./fixtures/', import.meta.url));

describe('claude shows its hooks', () => {
  test.each<[string, HookEvent, Record<string, unknown>]>([
    ['SessionStart', { name: 'session.starting' }, { source: 'startup' }],
    ['SessionStart', { name: 'session.starting', extra: { source: 'resume' } }, { source: 'resume' }],
    ['SessionEnd', { name: 'session.ended' }, { reason: 'other' }],
    ['UserPromptSubmit', { name: 'prompt.submitting', message: 'do it' }, { prompt: 'do it' }],
    [
      'PreToolUse',
      { name: 'tool.calling', tool: 'Bash', input: { command: 'ls' }, toolCallId: 't1' },
      { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' },
    ],
    [
      'PostToolUse',
      { name: 'tool.called', tool: 'Bash', input: {}, output: { stdout: 'x' }, extra: { duration_ms: 26 } },
      { tool_name: 'Bash', tool_input: {}, tool_response: { stdout: 'x' }, duration_ms: 26 },
    ],
    [
      'PostToolUseFailure',
      { name: 'tool.failed', tool: 'Bash', error: 'boom' },
      { tool_name: 'Bash', tool_input: {}, error: 'boom' },
    ],
    [
      'PermissionRequest',
      { name: 'permission.requesting', tool: 'Write', input: { file_path: '/f' } },
      { tool_name: 'Write', tool_input: { file_path: '/f' } },
    ],
    ['Stop', { name: 'turn.ending', message: 'Done.' }, { stop_hook_active: false, last_assistant_message: 'Done.' }],
    [
      'Stop',
      { name: 'turn.ending', extra: { stop_hook_active: true, transcript_path: '/t' } },
      { stop_hook_active: true, last_assistant_message: '', transcript_path: '/t' },
    ],
    ['Stop', { name: 'turn.ending', again: true }, { stop_hook_active: true, last_assistant_message: '' }],
    ['StopFailure', { name: 'iteration.failed', error: 'rate_limit' }, { error: 'rate_limit' }],
    [
      'TaskCompleted',
      { name: 'task.completing', taskId: '7', content: 'Add login' },
      { task_id: '7', task_subject: 'Add login' },
    ],
    [
      'SubagentStop',
      { name: 'subagent.ending', subagentId: 'a1', subagentType: 'Explore', message: 'Found.' },
      { agent_id: 'a1', agent_type: 'Explore', last_assistant_message: 'Found.', stop_hook_active: false },
    ],
    ['PreCompact', { name: 'context.compacting' }, { trigger: 'auto', custom_instructions: null }],
    [
      'PostCompact',
      { name: 'context.compacted', trigger: 'manual', summary: 'All.' },
      { trigger: 'manual', compact_summary: 'All.' },
    ],
    [
      'PostToolBatch',
      { name: 'tools.called', calls: [{ tool_name: 'Bash' }] },
      { tool_calls: [{ tool_name: 'Bash' }] },
    ],
    [
      'PermissionDenied',
      { name: 'permission.denied', tool: 'Bash', input: { command: 'ls' }, reason: 'no' },
      { tool_name: 'Bash', tool_input: { command: 'ls' }, reason: 'no' },
    ],
    [
      'Notification',
      { name: 'notification.sent', message: 'waiting', kind: 'idle_prompt' },
      { message: 'waiting', notification_type: 'idle_prompt' },
    ],
    [
      'ConfigChange',
      { name: 'config.changing', source: 'project_settings', file: '/p/x' },
      { source: 'project_settings', file_path: '/p/x' },
    ],
    ['CwdChanged', { name: 'folder.changed', oldFolder: '/p', newFolder: '/q' }, { old_cwd: '/p', new_cwd: '/q' }],
    ['FileChanged', { name: 'file.changed', file: '/p/.env', change: 'add' }, { file_path: '/p/.env', event: 'add' }],
    [
      'InstructionsLoaded',
      { name: 'instructions.loaded', file: '/p/CLAUDE.md', source: 'session_start' },
      { file_path: '/p/CLAUDE.md', load_reason: 'session_start' },
    ],
    ['TeammateIdle', { name: 'teammate.idling', extra: { teammate_name: 'ann' } }, { teammate_name: 'ann' }],
  ])('%s in the field names of Claude Code', (spelling, event, expected) => {
    expect(JSON.parse(show({ session: 's-1', ...event }, spelling).stdin ?? '')).toEqual({
      session_id: 's-1',
      cwd: '/p',
      hook_event_name: spelling,
      ...expected,
    });
  });

  test('its own event name and input, whatever stands among the unknown fields', () => {
    const extra = { hook_event_name: 'BeforeTool', tool_input: { command: 'true' }, session_id: 'x' };
    const { stdin } = show({ name: 'tool.calling', tool: 'Bash', input: { command: 'rm' }, extra }, 'PreToolUse');
    expect(JSON.parse(stdin ?? '')).toMatchObject({
      hook_event_name: 'PreToolUse',
      tool_input: { command: 'rm' },
      session_id: '',
    });
  });

  test.each([
    ['run_shell_command', { command: 'ls' }, 'Bash', { command: 'ls' }],
    ['exec_command', { cmd: 'rm -rf /' }, 'Bash', { cmd: 'rm -rf /', command: 'rm -rf /' }],
    ['shell', { command: ['bash', '-lc', 'a && b'] }, 'Bash', { command: "bash -lc 'a && b'" }],
    ['shell', 'rm x', 'Bash', { command: 'rm x' }],
    ['write', { filePath: '/f', content: 'x' }, 'Write', { filePath: '/f', file_path: '/f', content: 'x' }],
    ['Edit', { file_path: '/f', path: '/g' }, 'Edit', { file_path: '/f', path: '/g' }],
    ['mcp_memory_create', { path: '/f' }, 'mcp__memory__create', { path: '/f' }],
    ['Unheard', [1], 'Unheard', [1]],
  ])('the tool %s with %j under the names that scripts for Claude know', (tool, input, name, expected) => {
    const { stdin } = show({ name: 'tool.calling', tool, input }, 'PreToolUse');
    expect(JSON.parse(stdin ?? '')).toMatchObject({ tool_name: name, tool_input: expected });
  });

  test('CLAUDE_PROJECT_DIR, and CLAUDE_PLUGIN_ROOT to hooks of a plugin', () => {
    expect(show({ name: 'turn.ending' }, 'Stop').env).toMatchObject({ CLAUDE_PROJECT_DIR: '/p' });
    expect(show({ name: 'turn.ending' }, 'Stop').env).not.toHaveProperty('CLAUDE_PLUGIN_ROOT');
    const hook = hookOf('Stop', 4);
    expect(claude.present({ name: 'turn.ending' }, hook, context).env).toMatchObject({
      CLAUDE_PLUGIN_ROOT: '/p/plugins/babysitter',
    });
  });
});

describe('claude reads', () => {
  test('placeholders of the exec form as data, whatever the folder is called', () => {
    const places = { ...somewhere, root: '/p $& $(x)', plugin: "/it's" };
    const entry = { type: 'command', command: '${CLAUDE_PROJECT_DIR}/x', args: ['${CLAUDE_PLUGIN_ROOT}', '$X ${X}'] };
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [entry] }] } });
    expect(normalise(text, 0, places).hooks[0]?.action).toMatchObject({
      run: { via: 'exec', file: '/p $& $(x)/x', args: ["/it's", '$X ${X}'] },
    });
  });

  test('nothing where a hook with a bad matcher would run on every tool', () => {
    const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash(', hooks: [command] }] } });
    const { hooks, problems } = normalise(text);
    expect(hooks).toEqual([]);
    expect(problems).toMatchObject([{ severity: 'error', refuses: false, at: { line: 1, column: 36 } }]);
  });

  test.each(['', ' \n', '{}', '{"hooks": {}}', '{"hooks": {"Stop": []}}', '{"model": "opus"}'])(
    '%j as no hooks and no problem',
    text => expect(normalise(text)).toEqual({ hooks: [], problems: [] }),
  );

  test('every event of Claude Code that we do not fire without a problem, and names its hooks as left out', () => {
    const text = JSON.stringify({ hooks: { MessageDisplay: [{ hooks: [command] }], TaskCreated: 'anything' } });
    expect(normalise(text)).toEqual({
      ...{ hooks: [], problems: [] },
      leftOut: [{ event: 'MessageDisplay', why: 'only Claude Code fires it', file: '.claude/settings.json', line: 1 }],
    });
  });
});

const command = { type: 'command', command: './hook.sh' };
const context = {
  places: somewhere,
  carried: { lastHookStatus: '', hookResponse: '', spawnOutput: '' },
  env: {},
} as const;

const show = (shown: HookEvent, spelling: string) => claude.present(shown, hookOf(spelling), context);

function hookOf(spelling: string, location = 0) {
  return normalise(JSON.stringify({ hooks: { [spelling]: [{ hooks: [command] }] } }), location).hooks[0]!;
}

function normalise(text: string, index = 0, places = somewhere) {
  const location = claude.locations[index]!;
  return claude.normalise([{ kind: 'text', location, path: `/p/${location.path}`, file: location.path, text }], places);
}
