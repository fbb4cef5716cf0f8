import { describe, expect, test } from 'vitest';
import { callKey, isToldTwice } from './call-key.ts';
import type { Call } from './tool-call.ts';

const root = '/PROJ';
const isOne = (one: Call, other: Call) => callKey(one, root) === callKey(other, root);

describe('two calls are one', () => {
  test.each<[string, Call, Call]>([
    [
      'whatever the order of the fields',
      { tool: 'Edit', input: { file_path: 'a', replace_all: false } },
      { tool: 'Edit', input: { replace_all: false, file_path: 'a' } },
    ],
    [
      'when what the command is for is told later, and that it runs in the project',
      { tool: 'bash', input: { command: 'ls' } },
      { tool: 'bash', input: { command: 'ls', description: 'look', timeout: 5000, cwd: '/PROJ' } },
    ],
    [
      'under the names of one tool',
      { tool: 'Bash', input: { command: 'ls' } },
      { tool: 'exec_command', input: { command: 'ls' } },
    ],
    [
      'when the file that the input names is told once more',
      { tool: 'Write', input: { file_path: '/PROJ/a.txt', content: 'x' } },
      { tool: 'Write', input: { file_path: '/PROJ/a.txt', content: 'x' }, file: 'a.txt' },
    ],
  ])('%s', (_, one, other) => expect(isOne(one, other)).toBe(true));
});

describe('two calls are two', () => {
  const command = (more: object): Call => ({ tool: 'Bash', input: { command: 'rm -rf .', ...more } });
  test.each<[string, Call, Call]>([
    [
      'of two files',
      { tool: 'Edit', input: { note: 'x' }, file: 'a.txt' },
      { tool: 'Edit', input: { note: 'x' }, file: 'b.txt' },
    ],
    ['with another flag', { tool: 'deploy', input: { prod: false } }, { tool: 'deploy', input: { prod: true } }],
    ['in another folder', command({ cwd: '/PROJ/build' }), command({ cwd: '/home' })],
    ['in no folder of its own any more', command({ cwd: '/PROJ/build' }), command({})],
    ['in the background', command({}), command({ run_in_background: true })],
    ['by name', { tool: 'look', input: { x: 1 } }, { tool: 'deploy', input: { x: 1 } }],
    [
      'by another name of theirs',
      { tool: 'look', input: { x: 1 } },
      { tool: 'look', input: { x: 1 }, facts: { names: ['deploy'] } },
    ],
    [
      'by what describes a thing that is made',
      { tool: 'mcp__desk__open', input: { title: 'a', description: 'b' } },
      { tool: 'mcp__desk__open', input: { title: 'a', description: 'c' } },
    ],
  ])('%s', (_, one, other) => expect(isOne(one, other)).toBe(false));
});

describe("what an agent's own hooks and its protocol tell", () => {
  const patch = '*** Begin Patch\n*** Add File: hello.txt\n+hello\n*** End Patch\n';
  const told: Call = { tool: 'Write', input: { file_path: '/PROJ/hello.txt', content: 'hello\n' }, file: 'hello.txt' };
  test.each<[string, Call, Call]>([
    [
      'is one command with its folder and without',
      { tool: 'exec_command', input: { command: 'ls', cwd: '/PROJ/src' } },
      { tool: 'Bash', input: { command: 'ls' } },
    ],
    ['is one patch and its diff', told, { tool: 'apply_patch', input: { command: patch }, file: 'hello.txt' }],
    ['is one edit', told, { tool: 'Write', input: told.input, file: 'hello.txt' }],
    [
      'is one tool',
      { tool: 'mcp__desk__note', input: { text: 'a' } },
      { tool: 'mcp__desk__note', input: { text: 'a' } },
    ],
    ['is one tool of which the protocol says no more', { tool: 'Task' }, { tool: 'Task', input: { prompt: 'go' } }],
  ])('%s', (_, inProtocol, byHooks) => expect(isToldTwice(inProtocol, byHooks, root)).toBe(true));

  test.each<[string, Call, Call]>([
    ['is another command', { tool: 'Bash', input: { command: 'rm x' } }, { tool: 'Bash', input: { command: 'ls' } }],
    ['is a command and no edit', { tool: 'Bash', input: { command: 'ls' } }, told],
    ['is another file', { tool: 'Write', input: { changes: [] }, file: '.env' }, told],
    ['is another content', { ...told, input: { file_path: '/PROJ/hello.txt', content: 'bad\n' } }, told],
    ['is another tool', { tool: 'deploy' }, { tool: 'look' }],
  ])('%s', (_, inProtocol, byHooks) => expect(isToldTwice(inProtocol, byHooks, root)).toBe(false));
});
