import { expect, test } from 'vitest';
import { neverNotes, wayLines } from './events.ts';

test('events that an agent does not know are told apart from those that no agent knows', () => {
  expect(neverNotes(['tool.calling', 'teammate.idling', 'iteration.starting', 'tool.calling'])).toEqual([
    'Never fires in hookloop run: teammate.idling',
    "Never fires from agents' own hooks (hookloop install): iteration.starting",
    "Of agents' own hooks (hookloop install), only those of claude fire: teammate.idling",
  ]);
  expect(neverNotes(['tool.calling'])).toEqual([]);
});

test('every way of running that has no moment for an event has its line, and lines fit the terminal', () => {
  const lines = wayLines(80);
  for (const way of ['hookloop run', 'hooks of agents', '\\.\\.\\. of codex'])
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^ {2}${way} +\\w+\\.\\w+`)));
  expect(lines.every(line => line.length <= 80)).toBe(true);
});
