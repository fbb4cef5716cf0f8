import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createListening, never } from '../../../test/contracts/agent.ts';
import type { AgentListener } from '../../model/agent.ts';
import { type Calls, createCalls } from './calls.ts';

/** Plays what a real agent sent, and gives the events that come of it: name, tool, what it is about. */
async function eventsOf(agent: string) {
  const text = readFileSync(new URL(`./fixtures/${agent}.jsonl`, import.meta.url), 'utf8');
  const listening = createListening();
  const calls = await callsWith(listening.listener);
  for (const line of text.trim().split('\n')) {
    const { ask, update } = JSON.parse(line) as { ask?: unknown; update?: unknown };
    if (ask) await calls.ask(ask);
    else calls.take(update);
  }
  await calls.close();
  return listening.events;
}

async function callsWith(listener: AgentListener): Promise<Calls> {
  const calls = createCalls('/PROJ', listener, {});
  await calls.begin(never);
  return calls;
}

const brief = async (agent: string) =>
  (await eventsOf(agent)).map(({ name, tool, file, toolCallId }) =>
    [name, tool, toolCallId, file].filter(part => part !== undefined).join(' '),
  );

test('frames of claude-agent-acp give its tools under their own names, each once', async () =>
  expect(await brief('claude')).toEqual([
    'tool.calling Write toolu_1_0 hello.txt',
    'tool.called Write toolu_1_0 hello.txt',
    'file.edited Write toolu_1_0 hello.txt',
    'tool.calling Bash toolu_2_0',
    'tool.called Bash toolu_2_0',
    'tool.calling Edit toolu_3_0 hello.txt',
    'tool.called Edit toolu_3_0 hello.txt',
    'file.edited Edit toolu_3_0 hello.txt',
    'tool.calling Bash toolu_4_0',
    'tool.failed Bash toolu_4_0',
  ]));

test('frames of codex-acp give an edit a name although it has none', async () =>
  expect(await brief('codex')).toEqual([
    'tool.calling exec_command call_1_0',
    'tool.called exec_command call_1_0',
    'tool.calling Write call_2_0 hello.txt',
    'tool.called Write call_2_0 hello.txt',
    'file.edited Write call_2_0 hello.txt',
    'tool.calling exec_command call_3_0',
    'tool.called exec_command call_3_0',
  ]));

test('frames of gemini give names from its ids and inputs from its titles and diffs', async () => {
  const events = (await eventsOf('gemini')).filter(({ name }) => name === 'tool.calling');
  expect(events).toEqual([
    {
      name: 'tool.calling',
      tool: 'write_file',
      toolCallId: 'write_file__call_1_0',
      input: { file_path: '/PROJ/hello.txt', content: 'hello from scripted model\n' },
      file: 'hello.txt',
    },
    {
      name: 'tool.calling',
      tool: 'run_shell_command',
      toolCallId: 'run_shell_command__call_2_0',
      input: { command: 'echo run-ok > ran.txt && cat ran.txt' },
    },
    {
      name: 'tool.calling',
      tool: 'run_shell_command',
      toolCallId: 'run_shell_command__call_3_0',
      input: { command: 'echo FORBIDDEN > bad.txt' },
    },
  ]);
});

test('frames of opencode keep the name it announces and the input of the tool, not that of its question', async () => {
  expect(await brief('opencode')).toEqual([
    'tool.calling bash call_2_0',
    'tool.called bash call_2_0',
    'tool.calling write call_3_0 w.txt',
    'tool.called write call_3_0 w.txt',
    'file.edited write call_3_0 w.txt',
    'tool.calling write call_4_0 x.txt',
    'tool.called write call_4_0 x.txt',
    'file.edited write call_4_0 x.txt',
  ]);
  const inputs = (await eventsOf('opencode')).flatMap(({ input, file }) => (input && file ? [input] : []));
  const written = { filePath: '/PROJ/w.txt', content: 'w\n' };
  const shown = { file_path: '/PROJ/x.txt', content: 'x\n' };
  expect(inputs).toEqual([written, written, shown, shown]);
});

test('frames of codex-acp that asks keep the name they were asked with', async () =>
  expect(await brief('codex-read-only')).toEqual([
    'tool.calling Bash call_1_0',
    'tool.called Bash call_1_0',
    'tool.calling Write call_2_0 w.txt',
    'tool.called Write call_2_0 w.txt',
    'file.edited Write call_2_0 w.txt',
    'tool.calling Bash call_3_0',
    'tool.failed Bash call_3_0',
  ]));

test('a call of an MCP tool has the input of the tool, without what codex-acp wraps it in', async () => {
  const listening = createListening();
  const calls = await callsWith(listening.listener);
  const rawInput = { server: 'desk', tool: 'note', arguments: { text: 'hello' } };
  await calls.ask({ toolCallId: 'call_1', kind: 'other', title: 'desk/note', rawInput });
  expect(listening.events).toMatchObject([{ tool: 'mcp__desk__note', input: { text: 'hello' } }]);
});

test('outputs are what the agent tells most of', async () => {
  const outputs = async (agent: string) =>
    (await eventsOf(agent))
      .filter(({ name, tool }) => name === 'tool.called' && /Bash|exec/.test(tool!))
      .map(each => each.output);
  expect((await outputs('claude'))[0]).toMatchObject({ stdout: 'run-ok', stderr: '' });
  expect((await outputs('codex'))[0]).toBe('run-ok\n');
});

test.each([
  ['claude', 'PreToolUse:Bash hook error: DENIED-BY-HOOK: not allowed here'],
  ['codex-read-only', 'it ended with exit code 3'],
  ['qwen', 'Command exited with code: 3'],
])('a failed call of %s carries its reason in words', async (agent, error) => {
  const failed = (await eventsOf(agent)).find(({ name }) => name === 'tool.failed');
  expect(failed).toMatchObject({ error });
});
