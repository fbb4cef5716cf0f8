import { describe, expect, test } from 'vitest';
import { freeAtMs } from './limited-turns.ts';
import { waitUntil } from './pause.ts';

const now = Date.parse('2026-11-18T12:00:00Z');
const inSeconds = (seconds: number): string => new Date(now + seconds * 1000).toISOString();
const waitOf = (until: string | undefined, inRow: number, random = 0.5): number =>
  (freeAtMs(until, inRow, now, random) - now) / 1000;

describe('an agent that is limited is asked again', () => {
  test('when it says', () => {
    expect(waitOf(inSeconds(7200), 0)).toBe(7200);
    expect(waitOf(inSeconds(0.2), 0)).toBe(0.2);
    expect(waitOf(inSeconds(7200), 5)).toBe(7200);
  });

  test('after 5 seconds where it says nothing, doubling up to 10 minutes', () => {
    expect([0, 1, 2, 3, 6, 7, 8, 50, 1e6].map(inRow => waitOf(undefined, inRow))).toEqual([
      ...[5, 10, 20, 40, 320, 600, 600, 600, 600],
    ]);
  });

  test('not by all sessions at the same moment', () => {
    expect([0, 0.25, 0.999].map(random => waitOf(undefined, 0, random))).toEqual([3.75, 4.375, 6.248]);
    expect(waitOf(undefined, 9, 0.999)).toBe(600);
  });

  test('later each time, although it says a short time again and again', () => {
    expect([0, 1, 2, 3].map(inRow => waitOf(inSeconds(1), inRow))).toEqual([1, 5, 10, 20]);
  });

  test.each(['2020-01-01T00:00:00Z', 'soon', '', '+275000-01-01T00:00:00Z', new Date(now).toISOString()])(
    'as if it had said nothing where it says %j',
    until => expect(waitOf(until, 0)).toBe(5),
  );
});

describe('waiting for a time of the wall clock', () => {
  /** A wall clock that someone sets when it is looked at for the n-th time. */
  function settable(sets: Readonly<Record<number, number>>) {
    let looks = 0;
    let shiftMs = 0;
    return {
      wallMs() {
        looks += 1;
        shiftMs += sets[looks] ?? 0;
        return Date.now() + shiftMs;
      },
      steadyMs: () => performance.now(),
      looks: () => looks,
    };
  }
  const wait = async (ms: number, sets: Readonly<Record<number, number>>, signal = new AbortController().signal) => {
    const clocks = settable(sets);
    const from = performance.now();
    await waitUntil(Date.now() + ms, { longestMs: ms, signal, isOver: () => false, clocks });
    return { tookMs: performance.now() - from, looks: clocks.looks() };
  };

  test('takes as long as it takes', async () => {
    const { tookMs, looks } = await wait(300, {});
    expect([tookMs >= 290, looks < 10]).toEqual([true, true]);
  });

  test('is no longer because the clock is set back a day', async () => {
    const { tookMs, looks } = await wait(1500, { 2: -86_400_000 });
    expect([tookMs >= 1490, tookMs < 10_000, looks < 10]).toEqual([true, true, true]);
  });

  test('is over soon when the clock is set forward a day', async () => {
    const { tookMs } = await wait(3_600_000, { 2: 86_400_000 });
    expect(tookMs).toBeLessThan(20_000);
  });

  test('is over at once for a time that has passed, or is none', async () => {
    await waitUntil(Number.NaN, { longestMs: 1e9, signal: new AbortController().signal, isOver: () => false });
    expect((await wait(-5, {})).tookMs).toBeLessThan(1000);
  });

  test('ends when someone wants it', async () => {
    const stop = new AbortController();
    const waiting = wait(3_600_000, {}, stop.signal);
    stop.abort();
    await waiting;
  });
});
