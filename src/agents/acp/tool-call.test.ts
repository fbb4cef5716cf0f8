import { describe, expect, test } from 'vitest';
import { createMatch } from '../../engine/match.ts';
import type { HookDefinition, HookEvent, Match, Places } from '../../model/index.ts';
import { createToolCall, patch } from './tool-call.ts';
import { callingEvent, callTitle, toolInput } from './tool-events.ts';

test('a question that shows nothing does not make the input unknown', () => {
  const call = createToolCall('call_1');
  patch(call, { title: 'read', kind: 'read', rawInput: {} });
  expect(toolInput(call)).toEqual({});
  patch(call, { status: 'in_progress', rawInput: { filePath: '/PROJ/a.md' } });
  patch(call, { title: 'read', rawInput: {} });
  expect(toolInput(call)).toEqual({ filePath: '/PROJ/a.md' });
  patch(call, { rawInput: { filePath: '/PROJ/b.md' } });
  expect(toolInput(call)).toEqual({ filePath: '/PROJ/b.md' });
});

test.each<[object, string]>([
  [{ title: '`npm test`', kind: 'execute', rawInput: { command: 'npm test' } }, 'Bash npm test'],
  [{ title: 'Read File', kind: 'read', locations: [{ path: '/PROJ/src/a.ts' }] }, 'Read src/a.ts'],
  [{ title: 'Write', kind: 'edit', rawInput: { file_path: '/PROJ/b.ts', content: '' } }, 'Write b.ts'],
  [{ title: 'grep `x` in src', kind: 'search', rawInput: { pattern: 'x' } }, 'grep x in src'],
  [{}, 'call_1'],
])('people see what a call touches: %j', (update, title) => {
  const call = createToolCall('call_1');
  patch(call, update);
  expect(callTitle(call, '/PROJ')).toBe(title);
});

describe('a diff that opencode shows in place of an input', () => {
  const shown = { filepath: '/PROJ/a.txt', diff: '+x' };
  const content = [{ type: 'diff', path: '/PROJ/a.txt', oldText: '', newText: 'x' }];
  const inputOf = (...updates: object[]) => {
    const call = createToolCall('call_1');
    for (const update of updates) patch(call, update);
    return toolInput(call);
  };
  const told = { kind: 'edit', rawInput: { filePath: '/PROJ/a.txt', content: 'x' } };

  test('does not hide what the tool is called with', () => {
    expect(inputOf(told, { rawInput: shown, content })).toEqual(told.rawInput);
    expect(inputOf({ kind: 'edit', rawInput: shown, content })).toEqual({ file_path: '/PROJ/a.txt', content: 'x' });
  });

  test.each<[string, object]>([
    ['has more beside it', { rawInput: { ...shown, command: 'rm -rf v' }, content }],
    ['is of another file than it says', { rawInput: { ...shown, filepath: '/PROJ/b.txt' }, content }],
    ['is shown nowhere else', { rawInput: shown }],
  ])('is the input where it %s', (_, update) =>
    expect(inputOf(told, update)).toEqual((update as { rawInput: object }).rawInput),
  );
});

/** Every way in which a call was seen to get past a gate under another name. */
describe('a call is what it does, whatever it is called', () => {
  const command = 'rm -rf v';
  const diff = { type: 'diff', path: '/PROJ/a.txt', oldText: 'a', newText: 'b' };
  const execute = { kind: 'execute', rawInput: { command } };
  test.each([
    ['title view', 'Bash', { ...execute, title: 'view' }],
    ['title fetch', 'Bash', { ...execute, title: 'fetch' }],
    ['title Read', 'Bash', { ...execute, title: 'Read' }],
    ['id read_file__1', 'Bash', { ...execute, toolCallId: 'read_file__1' }],
    ['name Read', 'Bash', { ...execute, name: 'Read' }],
    ['_meta.claudeCode.toolName Read', 'Bash', { ...execute, _meta: { claudeCode: { toolName: 'Read' } } }],
    ['_meta.toolName read_file', 'Bash', { ...execute, _meta: { toolName: 'read_file' } }],
    [
      'a server and its tool',
      'Bash,mcp__s__t',
      { kind: 'execute', rawInput: { server: 's', tool: 't', arguments: {} } },
    ],
    ['a command inside another field', 'Bash', { kind: 'other', rawInput: { command: { cmd: 'rm' } } }],
    ['a list of commands', 'Bash', { kind: 'other', rawInput: { commands: ['rm'] } }],
    ['server and tool', 'Bash', { kind: 'execute', rawInput: { command, server: 's', tool: 't' } }],
    ['server, tool and arguments', 'Bash', { rawInput: { command, server: 's', tool: 't', arguments: {} } }],
    ['kind execute without a command', 'Bash', { kind: 'execute', title: command, name: 'Read' }],
    ['kind other', 'Bash', { kind: 'other', title: 'look', rawInput: { command } }],
    ['kind think', 'Bash', { kind: 'think', title: 'Read', rawInput: { command } }],
    ['kind read with a command', 'Bash', { kind: 'read', title: 'Read', rawInput: { command } }],
    ['no kind', 'Bash', { title: 'Read', rawInput: { command } }],
    ['a name of its own', 'Bash', { ...execute, name: 'frobnicate' }],
    ['kind read with a diff', 'Edit', { kind: 'read', title: 'Read', content: [diff] }],
    ['name Read with a diff', 'Edit', { name: 'Read', content: [diff] }],
    ['kind delete', 'Edit,Write', { kind: 'delete', title: 'Delete a.txt', locations: [{ path: '/PROJ/a.txt' }] }],
    ['kind move', 'Edit,Write', { kind: 'move', name: 'Read', locations: [{ path: '/PROJ/a.txt' }] }],
    ['a patch', 'Edit', { kind: 'other', rawInput: { input: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' } }],
  ])('%s meets a gate on %s', (_, gate, update: object) => {
    const call = createToolCall((update as { toolCallId?: string }).toolCallId ?? 'call_1');
    patch(call, update);
    const event = callingEvent(call, '/PROJ');
    for (const name of gate.split(',')) {
      expect(whyNot({ tool: { kind: 'names', names: [name] } }, event)).toBeUndefined();
      expect(whyNot({ tool: { kind: 'matcher', matcher: name } }, event)).toBeUndefined();
    }
  });

  test('a name that says less than the call does is not shown to hooks, and still matches', () => {
    const call = createToolCall('read_file__1');
    patch(call, { ...execute, name: 'Read' });
    const event = callingEvent(call, '/PROJ');
    expect(event).toMatchObject({ tool: 'Bash', input: { command } });
    expect(whyNot({ tool: { kind: 'names', names: ['Read'] } }, event)).toBeUndefined();
  });

  test('a gate on files sees every file of a call', () => {
    const call = createToolCall('call_1');
    patch(call, { kind: 'edit', content: [diff, { ...diff, path: '/PROJ/dist/b.js' }] });
    expect(whyNot({ files: ['dist/**'] }, callingEvent(call, '/PROJ'))).toBeUndefined();
  });

  test.each([
    [{ argv: ['git', 'push'] }],
    [{ commands: ['git push'] }],
    [{ action: { command: ['git', 'push'] } }],
    [{ command: 'git', args: 'push' }],
    [{ command: 'git', arguments: ['push'] }],
    [{ program: 'git', with: ['push'] }],
  ])('a command in %j meets a gate on git, whatever its title says', async rawInput => {
    const call = createToolCall('call_1');
    patch(call, { kind: 'execute', title: 'look around', rawInput });
    expect(await gitGate(callingEvent(call, '/PROJ'))).toBeUndefined();
  });

  test('a title that is the only thing told of a command is that command', async () => {
    const call = createToolCall('call_1');
    patch(call, { kind: 'execute', title: 'git status' });
    expect(await gitGate(callingEvent(call, '/PROJ'))).toBe('tool is Bash, not git_push');
  });

  test.each(['constructor', '__proto__', 'toString'])('%s is no status and no kind', word => {
    const call = createToolCall('call_1');
    patch(call, { kind: 'execute', status: 'in_progress', rawInput: { command } });
    patch(call, { status: word });
    expect(call.status).toBe('running');
    patch(call, { kind: word, rawInput: { x: 1 } });
    expect(typeof callingEvent(call, '/PROJ').tool).toBe('string');
  });

  test.each([
    ['an output', { rawOutput: 'done' }],
    ['what a terminal printed', { _meta: { terminal_output_delta: { data: 'done' } } }],
  ])('a call that has %s is made, whatever its status says', (_, update) => {
    const call = createToolCall('call_1');
    patch(call, { ...execute, rawOutput: {} });
    expect(call.status).toBe('pending');
    patch(call, update);
    expect(call.status).toBe('running');
  });

  test('of an agent that is known to tell so of them a tool of an MCP server is no command, unless it is handed one', () => {
    const call = createToolCall('call_1', true);
    patch(call, { kind: 'execute', rawInput: { server: 's', tool: 't', arguments: { text: 'x' } } });
    const event = callingEvent(call, '/PROJ');
    expect(event).toMatchObject({ tool: 'mcp__s__t', input: { text: 'x' } });
    expect(whyNot({ tool: { kind: 'names', names: ['Bash'] } }, event)).toBe('tool is mcp__s__t, not Bash');
    patch(call, { rawInput: { server: 's', tool: 't', arguments: { command } } });
    expect(whyNot({ tool: { kind: 'names', names: ['Bash'] } }, callingEvent(call, '/PROJ'))).toBeUndefined();
  });
});

const gitGate = async (event: HookEvent) => whyNot({ tool: { kind: 'names', names: ['git_push'] } }, event);

const whyNot = (match: Match, event: HookEvent) =>
  createMatch({ match } as HookDefinition, { root: '/PROJ' } as Places)(event);
