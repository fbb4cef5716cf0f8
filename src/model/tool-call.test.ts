import { expect, test } from 'vitest';
import {
  callFiles,
  callKinds,
  callNames,
  callNamesForClaude,
  claudeToolName,
  shellTextOf,
  toolKind,
  toolNames,
} from './tool-call.ts';

const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Delete File: b.ts\n*** End Patch\n';

test.each([
  ['a name that says it', { tool: 'run_shell_command', input: {} }, ['shell']],
  ['a command under a name that says otherwise', { tool: 'Read', input: { command: 'rm -rf v' } }, ['read', 'shell']],
  ['a command of a tool no one knows', { tool: 'frobnicate', input: { cmd: ['git', 'push'] } }, ['shell']],
  ['a script of a tool no one knows', { tool: 'frobnicate', input: { script: 'git push' } }, ['shell']],
  ['a command of an MCP tool', { tool: 'mcp__s__t', input: { command: 'git push' } }, ['mcp', 'shell']],
  ['an empty command', { tool: 'frobnicate', input: { command: ' ' } }, []],
  ['a patch in place of a command', { tool: 'apply_patch', input: { command: patch } }, ['edit']],
  ['a patch of a tool no one knows', { tool: 'frobnicate', input: { command: patch } }, ['shell', 'edit']],
  ['a patch of an MCP tool', { tool: 'mcp__sh__run', input: { command: patch } }, ['mcp', 'shell', 'edit']],
  [
    'a patch of a tool that edits by the protocol',
    { tool: 'Edit a.ts', input: { command: patch }, facts: { kinds: ['edit' as const] } },
    ['edit'],
  ],
  ['what begins like a patch', { tool: 'apply_patch', input: { cmd: '*** Begin Patch\ngit push' } }, ['edit', 'shell']],
  ['a command in pieces', { tool: 'frobnicate', input: ['git', 'push'] }, ['shell']],
  [
    'a patch that a shell feeds',
    { tool: 'Bash', input: { command: `apply_patch <<'E'\n${patch}E` } },
    ['shell', 'edit'],
  ],
  ['a search for the word', { tool: 'Bash', input: { command: "grep '*** Begin Patch' x" } }, ['shell']],
  ['what the protocol knows', { tool: 'Read', input: {}, facts: { kinds: ['edit' as const] } }, ['read', 'edit']],
  [
    "a text editor's command",
    { tool: 'str_replace_based_edit_tool', input: { command: 'create', path: 'x' } },
    ['edit'],
  ],
  [
    "a text editor's command beside a command",
    { tool: 'frobnicate', input: { command: 'view', path: '.', cmd: 'git push' } },
    ['read', 'shell'],
  ],
  [
    "a text editor's command with arguments",
    { tool: 'frobnicate', input: { command: 'create', path: '.', args: '; git push' } },
    ['edit', 'shell'],
  ],
  ['a list of commands of a tool no one knows', { tool: 'frobnicate', input: { commands: ['rm'] } }, ['shell']],
  ['a command inside a field', { tool: 'frobnicate', input: { command: { cmd: 'rm' } } }, ['shell']],
  ['an action that is a word', { tool: 'frobnicate', input: { action: 'click' } }, []],
  ["a text editor's look", { tool: 'str_replace_based_edit_tool', input: { command: 'view', path: 'x' } }, ['read']],
])('%s makes the kinds of a call', (_, call, kinds) => {
  expect([...callKinds(call)]).toEqual(kinds);
});

test('a call whose name and input disagree goes by the names of both', () => {
  const names = callNames({ tool: 'Read', input: { command: 'git push' } });
  expect(names).toEqual(expect.arrayContaining(['Read', 'read', 'read_file', 'Bash', 'shell', 'run_shell_command']));
});

test('a call whose name says what it does goes by that name alone', () => {
  expect(callNames({ tool: 'write_file', input: {}, facts: { kinds: ['edit'] } })).not.toContain('Edit');
});

test('a call that edits and has no name for it goes by those of editing and writing, and of no notebook', () => {
  const names = callNames({ tool: 'Delete x', input: {}, facts: { kinds: ['edit'] } });
  expect(names).toEqual(expect.arrayContaining(['Edit', 'Write']));
  expect(names).not.toContain('NotebookEdit');
});

test('the files of a call are all that its patch, its edits and its protocol name', () => {
  expect(callFiles({ tool: 'apply_patch', input: { command: patch } })).toEqual(['a.ts', 'b.ts']);
  expect(callFiles({ tool: 'multi_edit', input: { edits: [{ filePath: 'a' }, { filePath: 'b' }] } })).toEqual([
    'a',
    'b',
  ]);
  expect(callFiles({ tool: 'Edit', file: 'a', input: { file_path: '/p/a' }, facts: { files: ['b'] } })).toEqual([
    'a',
    'b',
    '/p/a',
  ]);
});

test.each([
  [{ path: 'b', file_path: 'a' }, ['a', 'b']],
  [{ path: 'b', file_path: 5 }, ['b']],
  [{ filePath: 'b', file_path: 'a', absolute_path: '/c', target_file: 'd' }, ['a', 'b', '/c', 'd']],
  [{ source: 'a', destination: 'b' }, ['a', 'b']],
  [{ oldPath: 'a', newPath: 'b', uri: 'file:///c' }, ['a', 'b', '/c']],
  [{ file_name: 'a', targetFileName: 'b', 'file-names': ['c'], pathname: 'd' }, ['a', 'b', 'c', 'd']],
  [{ user_name: 'a', displayName: 'b', profile_name: 'c' }, []],
  [{ paths: ['a', 'b'], files: [{ path: 'c' }, 'd'] }, ['a', 'b', 'c', 'd']],
  [{ content: 'a', profile: 'b', targeted: 'c', old_string: 'd', mode: 'e' }, []],
])('all fields of %j that name a file count', (input, files) => {
  expect(callFiles({ tool: 'mcp__fs__move', input }).toSorted()).toEqual(files.toSorted());
});

test("a matcher of Claude's is held against Claude's names for the call and its own, not against names of its like", () => {
  expect(callNamesForClaude({ tool: 'Write', input: {} })).toEqual(['Write', 'Write']);
  expect(callNamesForClaude({ tool: 'run_shell_command', input: {} })).toEqual(['run_shell_command', 'Bash']);
  expect(callNamesForClaude({ tool: 'Read', input: { command: 'x' } })).toEqual(['Read', 'Read', 'Bash']);
});

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

test('a tool no one knows goes by its own name alone', () => {
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
