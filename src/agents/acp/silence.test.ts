import { expect, test } from 'vitest';
import { createListening, eventually, never, openAgent } from '../../../test/contracts/agent.ts';
import type { AgentListener } from '../../model/agent.ts';
import { agentWith } from './fixtures/agent.ts';

const silenceMs = 400;
const limited = {
  kind: 'limited',
  limit: 'overload',
  reason:
    'nothing came from the agent for 0.4 s, while no tool, hook or question was pending: its turn was cancelled (silence: in hookloop.yaml sets how long it may be)',
};

const open = (flags = '', listener?: AgentListener, ms: number | null = silenceMs) =>
  openAgent(agentWith(flags, { cancelMs: 300 }, { silenceMs: ms }), listener && { listener });

test('a turn in which nothing comes is cancelled and counts as overload, and the agent answers again', async () => {
  const { agent, conversation } = await open();
  expect(await conversation.prompt(['wait'], { signal: never })).toEqual(limited);
  expect(agent.isAlive()).toBe(true);
  expect(await conversation.prompt(['say hello'], { signal: never })).toMatchObject({ kind: 'ended', text: 'hello' });
});

test('an agent that does not even listen to that is stopped', async () => {
  const { agent, conversation } = await open('--ignore-cancel');
  expect(await conversation.prompt(['wait'], { signal: never })).toEqual(limited);
  expect(agent.isAlive()).toBe(false);
});

test('a tool may run for as long as it likes', async () => {
  const { conversation } = await open();
  const turn = await conversation.prompt(['silentshell sleep 1.2', 'say done'], { signal: never });
  expect(turn).toMatchObject({ kind: 'ended', text: expect.stringContaining('done') });
});

test('silence after a tool has ended counts from its end on', async () => {
  const { conversation } = await open();
  const begunMs = performance.now();
  const turn = await conversation.prompt(['silentshell sleep 0.8', 'wait'], { signal: never });
  expect(turn).toEqual(limited);
  expect(performance.now() - begunMs).toBeGreaterThan(800 + silenceMs);
});

test('a question may be open for as long as it likes', async () => {
  const { listener } = createListening();
  const slow: AgentListener = {
    ...listener,
    async ask(event) {
      await new Promise(resolve => setTimeout(resolve, 3 * silenceMs));
      return listener.ask(event);
    },
  };
  const { conversation } = await open('', slow);
  const turn = await conversation.prompt(['shell echo made', 'say done'], { signal: never });
  expect(turn).toMatchObject({ kind: 'ended', text: expect.stringContaining('done') });
});

test('a call that was refused keeps no one waiting', async () => {
  const { listener } = createListening({ decision: { kind: 'block', reason: 'not here', by: 'test#1' } });
  const { conversation } = await open('', listener);
  expect(await conversation.prompt(['shell echo made', 'wait'], { signal: never })).toEqual(limited);
});

test('where it is off a turn goes on until someone ends it', async () => {
  const { conversation } = await open('', undefined, null);
  const cancel = new AbortController();
  let isOver = false;
  const turn = conversation.prompt(['wait'], { signal: cancel.signal }).finally(() => {
    isOver = true;
  });
  const endMs = performance.now() + 2 * silenceMs;
  await eventually(() => performance.now() > endMs);
  expect(isOver).toBe(false);
  cancel.abort();
  expect(await turn).toEqual({ kind: 'cancelled' });
});
