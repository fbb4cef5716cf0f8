import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, never, openAgent, world } from '../../../test/contracts/agent.ts';
import type { AgentPort, RunningAgent } from '../../model/agent.ts';
import { createAcpAgent } from '../presets.ts';

const program = fileURLToPath(new URL('../../../test/fixtures/agents/acp-answers.mjs', import.meta.url));

const agentThat = (answers: object): AgentPort =>
  createAcpAgent({ name: 'fixture', command: `'${process.execPath}' '${program}' '${JSON.stringify(answers)}'` });

async function running(answers: object): Promise<{ agent: RunningAgent; hasAsked(method: string): boolean }> {
  const { project, start } = world();
  const started = await agentThat(answers).start(start);
  if (started.kind !== 'started') throw new Error(started.reason);
  onTestFinished(() => started.agent.stop());
  return {
    agent: started.agent,
    hasAsked: method => readFileSync(join(project, 'asked'), 'utf8').split('\n').includes(method),
  };
}

test.each([
  ['null', null],
  ['a text', 'hello'],
  ['an empty object', {}],
])('an agent that answers initialize with %s does not start', async (_, answer) => {
  const started = await agentThat({ initialize: answer }).start(world().start);
  expect(started).toEqual({
    kind: 'failed',
    reason: `the agent did not start: it answered initialize without a protocol version: ${JSON.stringify(answer)}`,
  });
});

test.each([[null], [{}], [{ sessionId: 7 }], [{ sessionId: '' }], [[]]])(
  'an agent that answers session/new with %j has opened no conversation',
  async answer => {
    const { agent } = await running({ 'session/new': answer });
    expect(await agent.converse()).toEqual({
      kind: 'failed',
      reason: `no conversation could be opened: the agent answered session/new without a session id: ${JSON.stringify(answer)}`,
    });
  },
);

test.each([
  [null, 'the agent answered session/prompt without a stop reason: null'],
  [{}, 'the agent answered session/prompt without a stop reason: {}'],
  [{ stopReason: null }, 'the agent answered session/prompt without a stop reason: {"stopReason":null}'],
  [{ stopReason: 'banana' }, 'the agent ended its turn with an unknown stop reason: "banana"'],
])('an agent that answers session/prompt with %j has failed the turn', async (answer, reason) => {
  const { conversation } = await openAgent(() => agentThat({ 'session/prompt': answer }));
  const turn = await conversation.prompt(['x'], { signal: never });
  expect(turn).toEqual({ kind: 'failed', reason, agentDied: false });
});

test.each(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'])(
  'a turn may end with %s',
  async stopReason => {
    const { conversation } = await openAgent(() => agentThat({ 'session/prompt': { stopReason } }));
    expect(await conversation.prompt(['x'], { signal: never })).toEqual({ kind: 'ended', text: '', stopReason });
  },
);

test('a long line that is no message fails the turn with the limit that it passed', async () => {
  const { conversation } = await openAgent(() => agentThat({ garbage: 9 * 1024 * 1024 }));
  expect(await conversation.prompt(['x'], { signal: never })).toEqual({
    kind: 'failed',
    reason: 'the connection to the agent is lost: it sent a line of more than 8 MiB that is no message',
    agentDied: true,
  });
});

test.each([
  ['session/new', {}, {}],
  ['session/resume', { agentCapabilities: { sessionCapabilities: { resume: {} } } }, { resume: 'old' }],
  ['session/load', { agentCapabilities: { loadSession: true } }, { resume: 'old' }],
])('%s that is never answered is given up when its signal is aborted', async (method, able, options) => {
  const { agent, hasAsked } = await running({ initialize: { protocolVersion: 1, ...able }, [method]: 'never' });
  const cancel = new AbortController();
  const conversing = agent.converse({ ...options, signal: cancel.signal });
  await eventually(() => hasAsked(method));
  cancel.abort();
  expect(await conversing).toEqual({ kind: 'failed', reason: 'no conversation could be opened: it was cancelled' });
});

test('a replay without end is given up when its signal is aborted', async () => {
  const able = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
  const { agent, hasAsked } = await running({ initialize: able, 'session/load': {}, replay: true });
  const cancel = new AbortController();
  const conversing = agent.converse({ resume: 'old', signal: cancel.signal });
  await eventually(() => hasAsked('session/load'));
  const fromMs = performance.now();
  cancel.abort();
  expect(await conversing).toEqual({ kind: 'failed', reason: 'no conversation could be opened: it was cancelled' });
  expect(performance.now() - fromMs).toBeLessThan(5000);
});

test('a start is given up when its signal is aborted', async () => {
  const cancel = new AbortController();
  const { project, start } = world({ signal: cancel.signal });
  const starting = agentThat({ initialize: 'never' }).start(start);
  await eventually(() => existsSync(join(project, 'asked')));
  cancel.abort();
  expect(await starting).toEqual({ kind: 'failed', reason: 'the agent did not start: it was cancelled' });
});
