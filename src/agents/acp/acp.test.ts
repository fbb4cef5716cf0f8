import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  conversationOf,
  createListening,
  eventually,
  never,
  openAgent,
  testAgent,
  world,
} from '../../../test/contracts/agent.ts';
import { createAcpAgent } from '../presets.ts';
import { createWords } from './conversation.ts';
import { agentWith } from './fixtures/agent.ts';

const prompts = {
  greet: 'say hello',
  learn: 'the colour is blue',
  recall: 'recall',
  hold: 'orphan pids\nwait',
  fail: 'fail',
  useTool: 'shell echo made > made.txt',
};

testAgent({ name: 'acp', create: agentWith(), prompts });
testAgent({ name: 'acp that prints garbage and logs much', create: agentWith('--garbage --stderr'), prompts });

test('several texts arrive as one message, in order', async () => {
  const { conversation } = await openAgent(agentWith());
  const turn = await conversation.prompt(['hook output', 'the prompt'], { signal: never });
  expect(turn).toMatchObject({ text: 'heard hook outputheard the prompt' });
});

test('the programs that offer tools are handed over', async () => {
  const mcpServers = [{ name: 'hookloop', command: '/bin/x', args: ['mcp'], env: { SESSION: 's' } }];
  const { conversation } = await openAgent(agentWith(), { mcpServers });
  const turn = await conversation.prompt(['mcp'], { signal: never });
  const env = [{ name: 'SESSION', value: 's' }];
  expect(turn).toMatchObject({ text: JSON.stringify([{ name: 'hookloop', command: '/bin/x', args: ['mcp'], env }]) });
});

describe('an earlier conversation', () => {
  /** Two processes of the same agent, one after the other. */
  async function takenUp(flags: string) {
    const { project, start } = world();
    const listening = createListening();
    const env = { ...start.env, AGENT_MEMORY: join(project, 'memory.json') };
    const begin = async () => {
      const started = await agentWith(flags)().start({ ...start, env, listener: listening.listener });
      if (started.kind !== 'started') throw new Error(started.reason);
      onTestFinished(() => started.agent.stop());
      return started.agent;
    };
    const first = await begin();
    const { id } = await (async () => {
      const conversation = await conversationOf(first);
      await conversation.prompt(['the colour is blue'], { signal: never });
      return conversation;
    })();
    await first.stop();
    const shownBefore = listening.shown.length;
    const conversed = await (await begin()).converse({ resume: id });
    if (conversed.kind !== 'open') throw new Error(conversed.reason);
    return { id, conversed, listening, shown: () => listening.shown.slice(shownBefore) };
  }

  test.each(['--resume', '--load', '--resume --load'])('is resumed by another process with %s', async flags => {
    const { id, conversed } = await takenUp(flags);
    expect(conversed).toMatchObject({ resumed: true, conversation: { id } });
    const turn = await conversed.conversation.prompt(['recall'], { signal: never });
    expect(turn).toMatchObject({ text: expect.stringContaining('blue') });
  });

  test('that is replayed fires nothing and shows nothing', async () => {
    const { conversed, listening, shown } = await takenUp('--load');
    const turn = await conversed.conversation.prompt(['say hello'], { signal: never });
    expect(turn).toMatchObject({ text: 'hello' });
    expect(listening.events).toEqual([]);
    expect(shown()).toEqual([{ kind: 'message', text: 'hello' }]);
  });

  test('that is replayed long after the answer is silent until the first prompt', async () => {
    const { conversed, listening, shown } = await takenUp('--load --late-replay');
    await eventually(() => shown().length > 0);
    await conversed.conversation.prompt(['say hello'], { signal: never });
    expect(listening.events).toEqual([]);
    expect(shown()).toEqual([
      { kind: 'log', text: 'replayed late' },
      { kind: 'message', text: 'hello' },
    ]);
  });

  test('that is still being replayed when the answer comes is prompted only afterwards', async () => {
    const { conversed, listening } = await takenUp('--load --late-replay');
    const turn = await conversed.conversation.prompt(['silentshell sleep 0.3\nsay hello'], { signal: never });
    expect(turn).toMatchObject({ text: 'hello' });
    expect(listening.events.filter(({ toolCallId }) => toolCallId?.startsWith('old'))).toEqual([]);
  });

  test('begins anew where the agent cannot take it up', async () => {
    const { id, conversed } = await takenUp('');
    expect(conversed.resumed).toBe(false);
    expect(conversed.conversation.id).not.toBe(id);
  });

  test('begins anew where the agent does not know it, and says why', async () => {
    const listening = createListening();
    const { agent } = await openAgent(agentWith('--load'), { listener: listening.listener });
    expect(await agent.converse({ resume: 'gone' })).toMatchObject({ kind: 'open', resumed: false });
    const text = 'conversation gone could not be continued: Resource not found';
    expect(listening.shown).toContainEqual({ kind: 'log', text });
  });
});

test('an agent that no one is signed in to is told of with the ways to sign in that it names', async () => {
  const started = await agentWith('--keyless')().start(world().start);
  if (started.kind !== 'started') throw new Error(started.reason);
  expect(await started.agent.converse()).toEqual({
    kind: 'failed',
    reason:
      'no conversation could be opened: Authentication required\nTo sign in: Set MY_KEY: a key of the model; or Log in',
    signedOut: true,
  });
  await started.agent.stop();
});

describe('a start', () => {
  const startOf = (command: string, startMs = 20_000) =>
    createAcpAgent({ name: 'x', command, deadlines: { startMs } }).start(world().start);

  test('of a program that is not there says so', async () =>
    expect(await startOf('no-such-agent-anywhere --acp')).toMatchObject({
      kind: 'unavailable',
      reason: expect.stringContaining('no-such-agent-anywhere'),
    }));

  test('that ends at once tells the exit code and the last lines', async () => {
    const { start } = world();
    expect(await agentWith('--bad-start')().start(start)).toEqual({
      kind: 'failed',
      reason: 'the agent did not start: it ended with exit code 3\nline one\nno configuration was found',
    });
  });

  test('that hangs is given up', async () => {
    const { start } = world();
    const started = await agentWith('--hang', { startMs: 500 })().start(start);
    expect(started).toEqual({
      kind: 'failed',
      reason: 'the agent did not start: it did not answer within 0.5 s of its start',
    });
  });

  test('of a program that speaks something else fails', async () =>
    expect(await startOf('echo hello')).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('exit code 0'),
    }));

  test('with a NUL in its command fails', async () =>
    expect(await startOf('echo \0')).toMatchObject({ kind: 'failed' }));

  test('in a folder that is not there fails', async () => {
    const { start } = world();
    const started = await agentWith()().start({ ...start, cwd: join(start.cwd, 'gone') });
    expect(started).toMatchObject({ kind: 'failed', reason: expect.stringContaining('does not exist') });
  });
});

test('messages with a tool call between them become paragraphs', () => {
  const words = createWords();
  words.take('one', 'a');
  words.pause();
  words.take('two', 'a');
  expect(words.text()).toBe('one\n\ntwo');
});

test('an empty piece, as some models send first, makes no paragraph', () => {
  const words = createWords();
  words.take('one', 'a');
  for (let n = 0; n < 3; n += 1) {
    words.pause();
    words.take('', 'a');
  }
  words.take('two', 'a');
  expect(words.text()).toBe('one\n\ntwo');
});
