import { expect, test } from 'vitest';
import { elapsedMs } from '../fixtures/programs.ts';
import { deliver, limitConnections, pauseMs, retryAfterMs, usualLimits } from './deliver.ts';
import { receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';

test.each([500, 503, 408, 425, 429])('%i and then 200 is a delivery', async status => {
  const { url, received } = await receiver((response, at) => response.writeHead(at === 0 ? status : 200).end());
  expect((await run(webhook(url, { retries: 3 }))).outcome).toMatchObject({ kind: 'replied', status: 200 });
  expect(received).toHaveLength(2);
});

test.each([400, 401, 404, 409, 410, 422])('%i is final', async status => {
  const { url, received } = await receiver(response => response.writeHead(status).end('no'));
  expect((await run(webhook(url, { retries: 3 }))).outcome).toEqual({ kind: 'replied', status, body: 'no' });
  expect(received).toHaveLength(1);
});

test('tries end, and the last answer is the outcome', async () => {
  const { url, received } = await receiver((response, at) => response.writeHead(500 + at).end());
  expect((await run(webhook(url, { retries: 1 }))).outcome).toEqual({ kind: 'replied', status: 501, body: '' });
  expect(received).toHaveLength(2);
});

test('Retry-After is waited for where it fits into the time', async () => {
  const { url } = await receiver((response, at) =>
    response.writeHead(at === 0 ? 429 : 200, at === 0 ? { 'retry-after': '2' } : {}).end(),
  );
  const ms = await elapsedMs(async () =>
    expect((await run(webhook(url, { retries: 1 }))).outcome).toMatchObject({ status: 200 }),
  );
  expect(ms).toBeGreaterThan(1990);
});

test('a Retry-After beyond the time ends it at once with what was answered', async () => {
  const { url, received } = await receiver(response => response.writeHead(429, { 'retry-after': '60' }).end());
  const ms = await elapsedMs(async () =>
    expect((await run(webhook(url, { retries: 3 }), { timeoutMs: 5000 })).outcome).toMatchObject({ status: 429 }),
  );
  expect(ms).toBeLessThan(4900);
  expect(received).toHaveLength(1);
});

test('an abort ends a pause and a try at once', async () => {
  const { url } = await receiver(response => response.writeHead(429, { 'retry-after': '5' }).end());
  const hanging = await receiver(() => {});
  for (const target of [url, hanging.url]) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const ms = await elapsedMs(async () => {
      const { outcome } = await run(webhook(target, { retries: 3 }), { signal: controller.signal });
      expect(outcome).toEqual({ kind: 'cancelled' });
    });
    expect(ms).toBeLessThan(4900);
  }
});

const sendingTo = (url: string) => ({
  request: { url: new URL(url), method: 'POST', headers: {}, body: '' },
  id: 'msg_1',
  retries: 3,
  timeoutMs: null,
  signal: new AbortController().signal,
  connecting: { reach: 'public' as const },
  connections: limitConnections(2),
});

test('a try that hangs is given up for another one', async () => {
  const { url, received } = await receiver((response, at) => {
    if (at > 0) response.end('second');
  });
  const limits = { ...usualLimits, tryMs: 300, firstPauseMs: 10 };
  expect(await deliver({ ...sendingTo(url), limits })).toMatchObject({ kind: 'replied', body: { text: 'second' } });
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(['msg_1', 'msg_1']);
});

test('sending ends after its own limit where the hook has none', async () => {
  const { url } = await receiver(response => response.writeHead(500).end());
  const limits = { ...usualLimits, sendMs: 400, firstPauseMs: 100 };
  const ms = await elapsedMs(async () =>
    expect(await deliver({ ...sendingTo(url), retries: 1000, limits })).toMatchObject({ kind: 'replied', status: 500 }),
  );
  expect(ms).toBeLessThan(4900);
});

test('no more than so many connections lead to one receiver, and every delivery has its turn', async () => {
  let [open, most] = [0, 0];
  const { url, received } = await receiver(response => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.end();
    }, 30);
  });
  const sending = sendingTo(url);
  const controller = new AbortController();
  const left = deliver({ ...sendingTo(url), connections: sending.connections, signal: controller.signal });
  const all = Promise.all(Array.from({ length: 9 }, () => deliver(sending)));
  controller.abort();
  expect(await left).toEqual({ kind: 'cancelled' });
  expect((await all).every(({ kind }) => kind === 'replied')).toBe(true);
  expect(most).toBe(2);
  expect(received.length).toBeGreaterThanOrEqual(9);
});

test('pauses begin with at most a second, double, and end at thirty; none is shorter than half of that', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 50].map(tries => {
    const pauses = Array.from({ length: 200 }, () => pauseMs(tries, usualLimits));
    const most = Math.min(1000 * 2 ** (tries - 1), 30_000);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(most / 2);
    expect(new Set(pauses).size).toBeGreaterThan(100);
    return Math.max(...pauses) <= most ? most : Number.NaN;
  });
  expect(longest).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  expect(pauseMs(1, usualLimits, 45_000)).toBe(45_000);
});

test.each([
  ['3', 3000],
  [' 0 ', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 7000],
  ['Sun, 06 Nov 1994 08:49:20 GMT', 0],
  ['-3', 0],
  ['soon', 0],
  ['1e9', 0],
  [undefined, 0],
])('Retry-After: %s means %i ms', (header, ms) => {
  expect(retryAfterMs(header, Date.parse('Sun, 06 Nov 1994 08:49:30 GMT'))).toBe(ms);
});
