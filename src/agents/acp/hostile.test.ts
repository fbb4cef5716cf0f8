import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createListening, eventually, isRunning, never, openAgent, pidsIn } from '../../../test/contracts/agent.ts';
import type { Decision, HookEvent } from '../../model/index.ts';
import { agentWith } from './fixtures/agent.ts';

test('an agent that dies in a turn fails it with its exit code and last words', async () => {
  const { agent, conversation } = await openAgent(agentWith());
  expect(await conversation.prompt(['die'], { signal: never })).toEqual({
    kind: 'failed',
    reason: "the agent's process is gone: it ended with exit code 7\nfatal: out of cheese",
    agentDied: true,
  });
  expect(agent.isAlive()).toBe(false);
  expect(await agent.converse()).toMatchObject({ kind: 'failed' });
});

test('what an agent leaves running when it dies between turns is ended', async () => {
  const { agent, conversation, project } = await openAgent(agentWith());
  await conversation.prompt(['orphan pids'], { signal: never });
  const pids = await pidsIn(project);
  process.kill(parentOf(pids[0]!), 'SIGKILL');
  await eventually(() => !pids.some(isRunning));
  expect(agent.isAlive()).toBe(false);
});

test('what an agent leaves running when it dies in a turn is ended', async () => {
  const { conversation, project } = await openAgent(agentWith());
  const prompting = conversation.prompt(['orphan pids\nwait'], { signal: never });
  const pids = await pidsIn(project);
  process.kill(parentOf(pids[0]!), 'SIGKILL');
  expect(await prompting).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('SIGKILL'),
    agentDied: true,
  });
  await eventually(() => !pids.some(isRunning));
});

test('an agent that tells of an error of its own and ends the turn as ever has failed it, and goes on', async () => {
  const { conversation } = await openAgent(agentWith());
  expect(await conversation.prompt(['systemerror the model is out of order'], { signal: never })).toEqual({
    kind: 'failed',
    reason: 'the model is out of order',
    agentDied: false,
  });
  expect(await conversation.prompt(['say hello'], { signal: never })).toMatchObject({ kind: 'ended', text: 'hello' });
});

test('an agent that answers because it is being ended has not ended its turn', async () => {
  const { agent, conversation, project } = await openAgent(agentWith('--polite --answer-after-cancel'));
  const prompting = conversation.prompt(['orphan pids\nwait'], { signal: never });
  await pidsIn(project);
  await agent.stop();
  expect(await prompting).toMatchObject({ kind: 'failed', agentDied: true });
});

test('an agent that closes its output is stopped and the turn fails', async () => {
  const { agent, conversation } = await openAgent(agentWith());
  expect(await conversation.prompt(['closeout'], { signal: never })).toEqual({
    kind: 'failed',
    reason: 'the connection to the agent is lost: it closed its output',
    agentDied: true,
  });
  expect(agent.isAlive()).toBe(false);
});

test('an agent that answers after a cancel as if nothing had happened is cancelled all the same', async () => {
  const { conversation, project } = await openAgent(agentWith('--answer-after-cancel'));
  const cancel = new AbortController();
  const prompting = conversation.prompt(['orphan pids\nwait'], { signal: cancel.signal });
  await pidsIn(project);
  cancel.abort();
  expect(await prompting).toEqual({ kind: 'cancelled' });
  expect(existsSync(join(project, 'cancelled.txt'))).toBe(true);
});

test('an agent that does not react to a cancel is stopped, however deaf it is', async () => {
  const { agent, conversation, project } = await openAgent(agentWith('--ignore-cancel --deaf', { cancelMs: 200 }));
  const cancel = new AbortController();
  const prompting = conversation.prompt(['orphan pids\nwait'], { signal: cancel.signal });
  const pids = await pidsIn(project);
  cancel.abort();
  expect(await prompting).toEqual({ kind: 'cancelled' });
  expect(agent.isAlive()).toBe(false);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('thousands of questions are answered at once when the turn is cancelled, and none is asked any more', async () => {
  const listening = createListening({ decision: new Promise<Decision>(() => {}) });
  const { conversation, project } = await openAgent(agentWith(), { listener: listening.listener });
  const cancel = new AbortController();
  const flooded = conversation.prompt(['flood 900'], { signal: cancel.signal });
  await eventually(() => listening.shown.length === 900);
  cancel.abort();
  expect(await flooded).toEqual({ kind: 'cancelled' });
  expect(listening.events).toHaveLength(1);
  expect(JSON.parse(readFileSync(join(project, 'flood.json'), 'utf8'))).toEqual({ cancelled: 900 });
});

test('questions are asked one after another; of more than a thousand that wait the last are refused', async () => {
  const listening = createListening();
  let [atOnce, most] = [0, 0];
  const ask = async (event: HookEvent<'tool.calling'>): Promise<Decision> => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await eventually(() => listening.shown.length >= 3000);
    const decision = await listening.listener.ask(event);
    atOnce -= 1;
    return decision;
  };
  const { conversation, project } = await openAgent(agentWith(), { listener: { ...listening.listener, ask } });
  await conversation.prompt(['flood 3000'], { signal: never });
  expect(JSON.parse(readFileSync(join(project, 'flood.json'), 'utf8'))).toEqual({ yes: 1000, no: 2000 });
  expect([listening.events.filter(({ name }) => name === 'tool.calling').length, most]).toEqual([1000, 1]);
});

test('updates that come together with the answer are all taken before the turn ends', async () => {
  const listening = createListening();
  const { conversation } = await openAgent(agentWith('--late-updates'), { listener: listening.listener });
  await conversation.prompt(['burst 300'], { signal: never });
  const ids = listening.events.filter(({ name }) => name === 'tool.called').map(event => event.toolCallId);
  expect(ids).toEqual([...Array.from({ length: 300 }, (_, n) => `burst-${n}`), 'late']);
});

test('updates of kinds no one knows are shown and hurt nothing', async () => {
  const listening = createListening();
  const { conversation } = await openAgent(agentWith(), { listener: listening.listener });
  expect(await conversation.prompt(['unknown\nsay hello'], { signal: never })).toMatchObject({ text: 'hello' });
  expect(listening.shown).toContainEqual({
    kind: 'log',
    text: 'sparkles: {"sessionUpdate":"sparkles","colour":"blue"}',
  });
  const call = { tool: 'Odd', toolCallId: 'odd' };
  expect(listening.events).toEqual([
    { name: 'tool.calling', ...call },
    { name: 'tool.called', ...call },
  ]);
});

test('garbage on stdout is shown as a log', async () => {
  const listening = createListening();
  const { conversation } = await openAgent(agentWith('--garbage'), { listener: listening.listener });
  await conversation.prompt(['say hello'], { signal: never });
  const logs = listening.shown
    .filter(({ kind }) => kind === 'log')
    .map(activity => 'text' in activity && activity.text);
  expect(logs).toEqual([
    'Welcome!',
    '{"half": ',
    '[1,2]',
    '"text"',
    '{"jsonrpc":"2.0"}',
    'an answer that no one asked for: {"jsonrpc":"2.0","id":999,"result":{}}',
  ]);
});

test('a message without end fails the turn, not us', async () => {
  const { agent, conversation } = await openAgent(agentWith());
  expect(await conversation.prompt(['huge'], { signal: never })).toEqual({
    kind: 'failed',
    reason: 'the connection to the agent is lost: it sent a message that is longer than 32 MiB',
    agentDied: true,
  });
  expect(agent.isAlive()).toBe(false);
});

test('two prompts at once in one conversation are refused, the first goes on', async () => {
  const { conversation } = await openAgent(agentWith());
  const first = conversation.prompt(['say hello'], { signal: never });
  expect(await conversation.prompt(['say other'], { signal: never })).toMatchObject({
    kind: 'failed',
    agentDied: false,
  });
  expect(await first).toMatchObject({ text: 'hello' });
});

/** The field after the state, which follows the program's name in parentheses. */
const parentOf = (pid: number): number =>
  Number(/^.*\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))![1]);
