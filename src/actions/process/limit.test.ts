import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { joinSignals, onCancel } from '../../platform/cancel.ts';
import { createDeadline } from './limit.ts';

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('many who wait for a cancel share one listener, which goes with the last of them', () => {
  const { signal } = new AbortController();
  const takeBacks = Array.from({ length: 20 }, () => onCancel(signal, () => {}));
  expect(listenersOf(signal)).toBe(1);
  for (const takeBack of takeBacks) takeBack();
  expect(listenersOf(signal)).toBe(0);
  takeBacks[0]!();
  const calls: string[] = [];
  const again = new AbortController();
  onCancel(again.signal, () => calls.push('old'))();
  onCancel(again.signal, () => calls.push('new'));
  takeBacks[0]!();
  again.abort();
  expect(calls).toEqual(['new']);
});

test('a joined signal ends with the first of its sources, and holds none of them once it is cleared', () => {
  const sources = [new AbortController(), new AbortController()];
  const signals = sources.map(({ signal }) => signal);
  const first = joinSignals(...signals);
  first.clear();
  expect(signals.map(listenersOf)).toEqual([0, 0]);
  const second = joinSignals(...signals);
  sources[1]!.abort();
  expect([first.signal.aborted, second.signal.aborted, joinSignals(...signals).signal.aborted]).toEqual([
    false,
    true,
    true,
  ]);
});

const reachedWithin = (timeoutMs: number | null, waitMs: number): Promise<boolean> =>
  new Promise(resolve => {
    const timer = setTimeout(() => {
      deadline.clear();
      resolve(false);
    }, waitMs);
    const deadline = createDeadline(timeoutMs, () => {
      clearTimeout(timer);
      resolve(true);
    });
  });

test('a deadline is reached after its time, not before', async () => {
  const startMs = performance.now();
  expect(await reachedWithin(50, 5000)).toBe(true);
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(49.5);
});

test.each([2 ** 31, 60 * 86_400_000, Number.POSITIVE_INFINITY, null])('%s ms are not over at once', async timeoutMs => {
  expect(await reachedWithin(timeoutMs, 80)).toBe(false);
});

test.each([0, -5, Number.NaN])('%s ms are over at once', async timeoutMs => {
  expect(await reachedWithin(timeoutMs, 5000)).toBe(true);
});

test('thirty days are reached after thirty days of steps', () => {
  vi.useFakeTimers();
  try {
    let reached = 0;
    createDeadline(30 * 86_400_000, () => {
      reached += 1;
    });
    vi.advanceTimersByTime(30 * 86_400_000 - 1000);
    expect(reached).toBe(0);
    vi.advanceTimersByTime(2000);
    expect(reached).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test('a jump of the wall clock changes nothing', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const waiting = reachedWithin(200, 100);
    vi.setSystemTime(Date.now() + 86_400_000);
    expect(await waiting).toBe(false);
    const over = reachedWithin(50, 2000);
    vi.setSystemTime(Date.now() - 2 * 86_400_000);
    expect(await over).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('a cleared one is never reached and leaves no timer', async () => {
  const before = process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
  let reached = false;
  createDeadline(20, () => {
    reached = true;
  }).clear();
  expect(process.getActiveResourcesInfo().filter(name => name === 'Timeout')).toHaveLength(before);
  await new Promise(resolve => setTimeout(resolve, 60));
  expect(reached).toBe(false);
});
