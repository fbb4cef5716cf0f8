import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { conversationOf, createListening, eventually, never, openAgent } from '../../../test/contracts/agent.ts';
import type { Decision } from '../../model/index.ts';
import { agentWith } from './fixtures/agent.ts';

const refusal: Decision = { kind: 'block', reason: 'main is frozen', by: 'gate#1' };

async function prompted(text: string, options: Parameters<typeof createListening>[0] = {}) {
  const listening = createListening(options);
  const opened = await openAgent(agentWith(), { listener: listening.listener });
  const turn = await opened.conversation.prompt([text], { signal: never });
  return { ...opened, turn, ...listening };
}

test('an allowed call gets allow_once, whatever stands first', async () =>
  expect((await prompted('shell true')).turn).toMatchObject({ text: '(selected yes)' }));

test('a refused call gets the option that rejects', async () =>
  expect((await prompted('shell true', { decision: refusal })).turn).toMatchObject({ text: '(selected no)' }));

test('an edit is asked for with its file and told once, with the file', async () => {
  const { events, project } = await prompted('edit src.txt');
  const input = { file_path: join(project, 'src.txt'), content: 'edited\n' };
  const call = { tool: 'Write', toolCallId: 'call-1', input, file: 'src.txt' };
  expect(events).toEqual([
    { name: 'tool.calling', ...call },
    {
      ...{ name: 'tool.called', ...call, output: 'written' },
      facts: { changes: [{ path: 'src.txt', added: 1, removed: 0 }] },
    },
    { name: 'file.edited', file: 'src.txt', tool: 'Write', toolCallId: 'call-1' },
  ]);
});

test('files that an earlier edit wrote are not told again by a shell command', async () => {
  const { events } = await prompted('edit a.txt\nshell echo b > b.txt');
  expect(events.filter(({ name }) => name === 'file.edited').map(({ file }) => file)).toEqual(['a.txt', 'b.txt']);
});

test('a shell command that fails is told as failed, with what it edited', async () => {
  const { events } = await prompted('shell echo half > half.txt; exit 3');
  expect(events.slice(1)).toEqual([
    expect.objectContaining({ name: 'tool.failed', tool: 'Bash', error: expect.any(String) }),
    expect.objectContaining({ name: 'file.edited', file: 'half.txt' }),
  ]);
});

test('a shell command no one was asked about is told too, before and after it', async () => {
  const { events, calledAnyway } = await prompted('silentshell echo made > made.txt');
  expect(calledAnyway).toEqual([]);
  expect(events.map(({ name, file }) => [name, file])).toEqual([
    ['tool.calling', undefined],
    ['tool.called', undefined],
    ['file.edited', 'made.txt'],
  ]);
});

test('what a shell command no one was asked about edits is found although we hear late of it', async () => {
  const { listener, events } = createListening();
  let isHeard = false;
  const busy: typeof listener = {
    ...listener,
    show(activity) {
      listener.show(activity);
      if (isHeard || activity.kind === 'log') return;
      isHeard = true;
      for (const until = performance.now() + 500; performance.now() < until; );
    },
  };
  const { conversation } = await openAgent(agentWith(), { listener: busy });
  await conversation.prompt(['first\nsilentshell echo made > made.txt'], { signal: never });
  expect([isHeard, events.at(-1)]).toEqual([true, expect.objectContaining({ name: 'file.edited', file: 'made.txt' })]);
});

test('what hooks write before the turn, before a call and after it is no edit of the agent', async () => {
  const { listener, events } = createListening();
  let write = (_: string): void => {};
  const { conversation, project } = await openAgent(agentWith(), {
    listener: {
      ...listener,
      async ask(event) {
        write('before-call.txt');
        return listener.ask(event);
      },
      async tell(event) {
        if (event.name === 'tool.called') write('after-call.txt');
        await listener.tell(event);
      },
    },
  });
  write = name => writeFileSync(join(project, name), 'by a hook');
  for (const [n, shell] of ['shell', 'silentshell', 'shell'].entries()) {
    write('before-turn.txt');
    await conversation.prompt([`${shell} echo made > ${n}.txt`], { signal: never });
  }
  expect(events.flatMap(({ name, file }) => (name === 'file.edited' ? [file] : []))).toEqual([
    '0.txt',
    '1.txt',
    '2.txt',
  ]);
});

test('a write through us is asked for, made and told', async () => {
  const { events, project } = await prompted('write deep/new.txt');
  expect(readFileSync(join(project, 'deep/new.txt'), 'utf8')).toBe('by the client\n');
  const input = { file_path: join(project, 'deep/new.txt'), content: 'by the client\n' };
  expect(events).toEqual([
    { name: 'tool.calling', tool: 'Write', input, file: 'deep/new.txt', facts: { names: ['Edit'] } },
    { name: 'file.edited', file: 'deep/new.txt' },
  ]);
});

test('a refused write is an error that carries the reason', async () => {
  const { turn, project } = await prompted('write new.txt', { decision: refusal });
  expect(turn).toMatchObject({ text: 'write failed: main is frozen' });
  expect(existsSync(join(project, 'new.txt'))).toBe(false);
});

test('a write that cannot be made is an error that says why', async () => {
  const { turn } = await prompted('write /dev/null/x');
  expect(turn).toMatchObject({ text: expect.stringContaining('write failed: E') });
});

test('nothing is written or told for an agent that writes by itself in any case', async () => {
  const { listener, events } = createListening();
  const { conversation, project } = await openAgent(agentWith('', {}, { writesItself: true }), { listener });
  const turn = await conversation.prompt(['write new.txt'], { signal: never });
  expect(turn).toMatchObject({ text: expect.stringContaining('write failed') });
  expect(existsSync(join(project, 'new.txt'))).toBe(false);
  expect(events).toEqual([]);
});

test('a write inside an allowed call is neither asked for nor told a second time', async () => {
  const { events, project } = await prompted('gemini new.txt');
  expect(readFileSync(join(project, 'new.txt'), 'utf8')).toBe('new\n');
  expect(events.map(({ name, tool, file }) => [name, tool, file])).toEqual([
    ['tool.calling', 'write_file', 'new.txt'],
    ['file.edited', 'write_file', 'new.txt'],
    ['tool.called', 'write_file', 'new.txt'],
  ]);
});

test('a call without a result has failed when the turn ends, one that never began is not told', async () => {
  const { events, shown } = await prompted('leaveopen');
  expect(events).toEqual([
    { name: 'tool.calling', tool: 'Bash', toolCallId: 'open', input: { command: 'x' } },
    {
      name: 'tool.failed',
      tool: 'Bash',
      toolCallId: 'open',
      input: { command: 'x' },
      output: 'the turn ended before the call finished',
      error: 'the turn ended before the call finished',
    },
  ]);
  expect(shown).toContainEqual({ kind: 'tool', id: 'announced', title: 'Bash never begins', status: 'failed' });
});

test('in more conversations than are kept each is still heard when prompted', async () => {
  const listening = createListening();
  const { agent, conversation } = await openAgent(agentWith(), { listener: listening.listener });
  for (let n = 0; n < 60; n += 1) await conversationOf(agent);
  expect(await conversation.prompt(['say hello'], { signal: never })).toMatchObject({ text: 'hello' });
});

test.each([
  [true, undefined],
  [false, { kinds: ['shell'] }],
])(
  'a tool of an MCP server that is told of as a command is none only of an agent that does so: %s',
  async (mcpAsExecute, facts) => {
    const { listener, events } = createListening();
    const { conversation, project } = await openAgent(agentWith('', {}, { mcpAsExecute }), { listener });
    const rawInput = { server: 's', tool: 't', arguments: { text: 'x' } };
    const call = { toolCallId: 'c1', kind: 'execute', status: 'completed', rawInput };
    writeFileSync(join(project, 'steps'), JSON.stringify([['told', call]]));
    await conversation.prompt(['play steps'], { signal: never });
    expect(events[0]).toEqual({
      name: 'tool.calling',
      tool: 'mcp__s__t',
      toolCallId: 'c1',
      input: { text: 'x' },
      ...(facts && { facts }),
    });
  },
);

describe('a call that the agent makes without asking', () => {
  test('and that is refused is said to be made all the same, and hooks hear nothing more of it', async () => {
    const { events, calledAnyway } = await prompted('silentshell echo made > made.txt', { decision: refusal });
    expect(calledAnyway).toEqual(['call-1']);
    expect(events.map(({ name }) => name)).toEqual(['tool.calling']);
  });

  test('and that is refused while it still runs is said to be made before it ends', async () => {
    const { listener, calledAnyway } = createListening({ decision: refusal });
    const { conversation } = await openAgent(agentWith(), { listener });
    const cancel = new AbortController();
    const turn = conversation.prompt(['silentrunning sleep 600'], { signal: cancel.signal });
    await eventually(() => calledAnyway.length > 0);
    cancel.abort();
    expect(await turn).toEqual({ kind: 'cancelled' });
  });

  test('is not told from an input that does not say yet what it does', async () => {
    const { events } = await prompted('latecommand echo made > made.txt');
    expect(events.filter(({ name }) => name === 'tool.calling')).toEqual([
      expect.objectContaining({ input: { cwd: '/', command: 'echo made > made.txt' } }),
    ]);
  });

  test('is told again when another command turns up as it is made', async () => {
    const { events } = await prompted('swappedcommand true');
    expect(events.flatMap(({ name, input }) => (name === 'tool.calling' ? [input] : []))).toEqual([
      { command: 'true' },
      { command: 'git push' },
    ]);
  });

  test('is told when it is done where its own hooks tell of calls, and have not told of this one', async () => {
    const { listener, events } = createListening();
    const { conversation } = await openAgent(agentWith('', {}, { hooksTell: true }), { listener });
    await conversation.prompt(['silentshell true'], { signal: never });
    expect(events.map(({ name }) => name)).toEqual(['tool.calling', 'tool.called']);
  });
});

test('a question about a call that was told of before is one firing, and its refusal ends no turn', async () => {
  const { events, calledAnyway, turn } = await prompted('shell echo made > made.txt', { decision: refusal });
  expect(events.map(({ name }) => name)).toEqual(['tool.calling']);
  expect([turn.kind, calledAnyway]).toEqual(['ended', []]);
});
