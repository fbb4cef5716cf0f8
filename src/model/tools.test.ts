import { expect, test } from 'vitest';
import { claudeToolName, shellTextOf, toolKind, toolNames } from './tools.ts';

test.each([
  ['run_shell_command', 'Bash', 'shell'],
  ['exec_command', 'Bash', 'shell'],
  ['exec', 'Bash', 'shell'],
  ['terminal', 'Bash', 'shell'],
  ['execute_command', 'Bash', 'shell'],
  ['run_command', 'Bash', 'shell'],
  ['run_terminal_cmd', 'Bash', 'shell'],
  ['write_file', 'Write', 'edit'],
  ['apply_patch', 'Edit', 'edit'],
  ['replace', 'Edit', 'edit'],
  ['read_file', 'Read', 'read'],
  ['mcp_github_create_issue', 'mcp__github__create_issue', 'mcp'],
  ['mcp__github__create_issue', 'mcp__github__create_issue', 'mcp'],
])('%s is %s for Claude, of kind %s', (tool, claude, kind) => {
  expect([claudeToolName(tool), toolKind(tool)]).toEqual([claude, kind]);
});

test('Edit is not a name of Write', () => {
  expect(toolNames('Write')).toContain('write_file');
  expect(toolNames('Write')).not.toContain('Edit');
});

test('a tool nobody knows goes by its own name alone', () => {
  expect(toolNames('frobnicate')).toEqual(['frobnicate']);
});

test.each([
  ['git commit -m x', 'git commit -m x'],
  [{ command: 'git push' }, 'git push'],
  [{ cmd: ['bash', '-lc', "git commit -m 'it'"] }, `bash -lc 'git commit -m '\\''it'\\'''`],
  [{ command: '', cmd: 'git push' }, 'git push'],
  [{ command: null, cmd: [], script: 'git push' }, 'git push'],
  [{ command: { a: 1 }, cmd: 'git push' }, 'git push'],
  [{ command: ['git', 'push', 1] }, 'git push 1'],
  [{ command: ['git', 'push', true, null] }, 'git push true null'],
  [{ command: '' }, ''],
  [{ cmd: 'git push', command: 'ls' }, 'ls\ngit push'],
  [{ cmd: 'ls', command: 'ls' }, 'ls'],
  [{ command: 'git', args: ['push', 'a b'] }, "git push 'a b'"],
  [{ command: 'git', args: 'push' }, 'git push'],
  [{ command: 'git', args: [], arguments: ['push'] }, 'git push'],
  [{ command: 'git', argv: ['push'] }, 'git push\npush'],
  [{ argv: ['git', 'push'] }, 'git push'],
  [{ commands: ['ls', ['git', 'push'], { cmd: 'pwd' }] }, 'ls\ngit push\npwd'],
  [{ commands: 'git push' }, 'git push'],
  [{ action: { command: ['git', 'push'] } }, 'git push'],
  [{ action: 'git push' }, undefined],
  [{ command: { cmd: 'rm' } }, 'rm'],
  [['git', 'push'], 'git push'],
  [{ file_path: 'x' }, undefined],
  [null, undefined],
])('finds the command text in %j', (input, text) => {
  expect(shellTextOf(input)).toBe(text);
});

test.each(['MultiEdit', 'LS', 'Bash', 'NotebookEdit', 'frobnicate'])('%s stays what Claude itself calls it', tool => {
  expect(claudeToolName(tool)).toBe(tool);
});
