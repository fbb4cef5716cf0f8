import { expect, test } from 'vitest';
import { elapsedMs, eventually } from '../fixtures/programs.ts';
import { deliver, limitConnections, type Sending, usualLimits } from './deliver.ts';
import { receiver } from './fixtures/receiver.ts';
import { run, webhook } from './fixtures/runner.ts';

/** Keeps in memory what a session keeps in its journal. */
function memory(known?: unknown) {
  const kept: unknown[] = [];
  return { kept, known: () => known, keep: async (value: unknown) => void kept.push(value) };
}

const sendingTo = (url: string, more: Partial<Sending>): Sending => ({
  request: { url: new URL(url), method: 'POST', headers: {}, body: '' },
  id: 'msg_1',
  retries: 2,
  timeoutMs: null,
  signal: new AbortController().signal,
  connecting: { reach: 'public' },
  connections: limitConnections(2),
  limits: { ...usualLimits, firstPauseMs: 20 },
  ...more,
});

const after = (ms: number): string => new Date(Date.now() + ms).toISOString();

const unwell = () => receiver(response => response.writeHead(503).end('not now'));

test('every try in vain is kept before the pause, with the time of the next one', async () => {
  const { url } = await unwell();
  const { kept, ...port } = memory();
  expect(await deliver(sendingTo(url, { memory: port }))).toMatchObject({ kind: 'replied', status: 503 });
  const next = { at: expect.stringMatching(/^\d{4}-.*Z$/), leftMs: expect.any(Number) };
  expect(kept).toEqual([
    { tries: 1, last: { status: 503 }, next },
    { tries: 2, last: { status: 503 }, next },
    { tries: 3, last: { status: 503 } },
  ]);
  const [first, second] = kept as { next: typeof next }[];
  expect(second!.next.leftMs).toBeLessThan(first!.next.leftMs);
  expect(second!.next.leftMs).toBeGreaterThan(usualLimits.sendMs - 5000);
});

test('an abort in the pause finds the try kept already', async () => {
  const { url } = await receiver(response => response.writeHead(429, { 'retry-after': '30' }).end());
  const { kept, ...port } = memory();
  const controller = new AbortController();
  const sent = deliver(sendingTo(url, { memory: port, signal: controller.signal }));
  await eventually(() => kept.length === 1);
  controller.abort();
  expect(await sent).toEqual({ kind: 'cancelled' });
  const [{ next }] = kept as [{ next: { at: string; leftMs: number } }];
  expect(Date.parse(next.at) - Date.now()).toBeGreaterThan(20_000);
  expect(next.leftMs).toBeLessThan(31_000);
});

test('goes on after what is left of the pause, with the tries that are left', async () => {
  const { url, received } = await unwell();
  const { kept, ...port } = memory({ tries: 2, last: { status: 503 }, next: { at: after(400), leftMs: 5000 } });
  const ms = await elapsedMs(async () =>
    expect(await deliver(sendingTo(url, { memory: port }))).toMatchObject({ status: 503 }),
  );
  expect(ms).toBeGreaterThan(350);
  expect(received).toHaveLength(1);
  expect(kept).toEqual([{ tries: 3, last: { status: 503 } }]);
});

test('a pause that is over is not made again', async () => {
  const { url } = await receiver();
  const port = memory({ tries: 1, last: { status: 429 }, next: { at: after(-60_000), leftMs: 30_000 } });
  const ms = await elapsedMs(async () =>
    expect(await deliver(sendingTo(url, { memory: port }))).toMatchObject({ status: 200 }),
  );
  expect(ms).toBeLessThan(20_000);
});

test.each([
  ['used up', { tries: 3, last: { status: 503 } }, { kind: 'replied', status: 503, body: { text: '', bytes: 0 } }],
  ['used up', { tries: 3, last: { reason: 'reset (3 tries)' } }, { kind: 'failed', reason: 'reset (3 tries)' }],
  ['without room for another', { tries: 1, last: { status: 429 } }, { kind: 'replied', status: 429 }],
  ['now too many', { tries: 4, last: { status: 500 }, next: { at: after(0), leftMs: 9 } }, { status: 500 }],
])('tries that are %s end it without another request: %j', async (_, known, expected) => {
  const { url, received } = await receiver();
  expect(await deliver(sendingTo(url, { memory: memory(known) }))).toMatchObject(expected);
  expect(received).toEqual([]);
});

test('the time for sending does not begin anew, and time in which nothing ran does not count', async () => {
  const { url } = await receiver(() => {});
  const port = memory({ tries: 1, last: { status: 503 }, next: { at: after(-3_600_000), leftMs: 300 } });
  const ms = await elapsedMs(async () =>
    expect(await deliver(sendingTo(url, { memory: port }))).toMatchObject({ kind: 'timed-out' }),
  );
  expect(ms).toBeGreaterThan(250);
  expect(ms).toBeLessThan(20_000);
});

test('a clock that was set back makes no pause longer than sending may take', async () => {
  const { url } = await receiver();
  const limits = { ...usualLimits, sendMs: 200 };
  const port = memory({ tries: 1, last: { status: 503 }, next: { at: after(86_400_000), leftMs: 5000 } });
  expect(await deliver(sendingTo(url, { memory: port, limits }))).toMatchObject({ status: 200 });
});

test('what cannot be kept is not tried again', async () => {
  const { url, received } = await unwell();
  const broken = { known: () => undefined, keep: () => Promise.reject(new Error('disk full')) };
  const { outcome } = await run(webhook(url, { retries: 3 }), { memory: broken });
  expect(outcome).toMatchObject({ kind: 'not-started' });
  expect(received).toHaveLength(1);
});
