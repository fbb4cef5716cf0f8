import { expect, test } from 'vitest';
import { never, openAgent, world } from '../../../test/contracts/agent.ts';
import { agentWith } from './fixtures/agent.ts';

/** How a turn ends that fails with this error, and in how many seconds it may go on. */
async function turnWith(error: object) {
  const { conversation } = await openAgent(agentWith());
  const text = JSON.stringify({ code: -32_603, message: 'Internal error', ...error });
  const begunMs = Date.now();
  const turn = await conversation.prompt([`limit ${text}`], { signal: never });
  const until = turn.kind === 'limited' && turn.until ? Date.parse(turn.until) : undefined;
  return { turn, seconds: until === undefined ? undefined : Math.round((until - begunMs) / 1000) };
}

test.each([
  ['an error of code 429', { code: 429, message: 'slow down' }, 'rate', undefined],
  ['an error of code 529', { code: 529 }, 'overload', undefined],
  ['a status in its data', { data: { status: 429 } }, 'rate', undefined],
  ['a status deep in its data', { data: { error: { cause: { statusCode: 529 } } } }, 'overload', undefined],
  ['a code that is a text', { data: { code: '429' } }, 'rate', undefined],
  ['retryAfter in its data', { data: { retryAfter: 90 } }, 'rate', 90],
  ['a Retry-After header', { data: { status: 429, headers: { 'Retry-After': '120' } } }, 'rate', 120],
  ['a detail of Google', { code: 429, data: { details: [{ retryDelay: '38s' }] } }, 'rate', 38],
  ['a time in its words', { code: 429, message: 'try again in 2h 5m' }, 'rate', 7500],
  ['a time far too far away', { data: { retryAfter: 1e7 } }, 'rate', 35 * 86_400],
])('%s is a limit of any agent', async (_, error, limit, seconds) => {
  const found = await turnWith(error);
  expect(found.turn).toMatchObject({ kind: 'limited', limit });
  if (seconds === undefined) expect(found.seconds).toBeUndefined();
  else expect(Math.abs(found.seconds! - seconds)).toBeLessThan(5);
});

test.each([
  ['words alone', { message: 'Rate limit reached, try again in 2h' }],
  ['a negative retryAfter', { data: { retryAfter: -5 } }],
  ['a retryAfter that is no number', { data: { retryAfter: 'soon' } }],
  ['an account without money', { code: 429, data: { error: { code: 'insufficient_quota' } } }],
  ['another status', { data: { status: 500 } }],
])('%s is an ordinary failure', async (_, error) =>
  expect((await turnWith(error)).turn).toMatchObject({ kind: 'failed', agentDied: false }),
);

test('a retryAfter that no one can mean makes no time of a limit', async () => {
  const { turn } = await turnWith({ code: 429, data: { retryAfter: 1e300 } });
  expect(turn).toEqual({ kind: 'limited', limit: 'rate', reason: 'Internal error: {"retryAfter":1e+300}' });
});

test('an agent that ends such a turn as if all were well is read by its words', async () => {
  const limits = [{ says: /hit your usage limit/, limit: 'usage' }] as const;
  const { conversation } = await openAgent(agentWith('', {}, { limits }));
  const prompt = (text: string) => conversation.prompt([text], { signal: never });
  const said = "You've hit your usage limit, try again later";
  expect(await prompt(`systemerror ${said}`)).toEqual({ kind: 'limited', limit: 'usage', reason: said });
  expect(await prompt(`say ${said}`)).toMatchObject({ kind: 'ended', text: said });
});

test('an agent that may open no conversation for now is limited, and has not failed', async () => {
  const started = await agentWith('--busy')().start(world().start);
  if (started.kind !== 'started') throw new Error(started.reason);
  const conversed = await started.agent.converse();
  await started.agent.stop();
  expect(conversed).toMatchObject({ kind: 'limited', limit: 'rate', until: expect.any(String) });
  expect(conversed).toMatchObject({ reason: expect.stringContaining('Too many sessions') });
});
