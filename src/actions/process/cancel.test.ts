import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { joinSignals, onCancel } from './cancel.ts';

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
