import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../test/program.ts';
import { neverNotes, wayLines } from '../cli/print/events.ts';
import { eventNames } from '../model/index.ts';
import { waysOf } from './events.ts';

test('an event fires in run if, and only if, the code of sessions names it', () => {
  const parts = ['loop', 'people', 'session/control', 'agents', 'app'].map(part => join(root, 'src', part));
  const files = parts.flatMap(part =>
    readdirSync(part, { recursive: true, encoding: 'utf8' })
      .filter(
        name =>
          name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('fixtures') && name !== 'events.ts',
      )
      .map(name => readFileSync(join(part, name), 'utf8')),
  );
  const named = eventNames.filter(event => files.some(text => text.includes(`'${event}'`)));
  expect(eventNames.filter(event => waysOf(event).includes('run'))).toEqual(named);
});

test('events that an agent does not know are told apart from those that no agent knows', () => {
  expect(neverNotes(['tool.calling', 'teammate.idling', 'iteration.starting', 'tool.calling'])).toEqual([
    'Never fires in hookloop run: teammate.idling',
    "Never fires from agents' own hooks (hookloop install): iteration.starting",
    'Fires from the own hooks of claude only: teammate.idling',
  ]);
  expect(neverNotes(['tool.calling'])).toEqual([]);
});

test('every way of running that has no moment for an event has its line, and lines fit the terminal', () => {
  const lines = wayLines(80);
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}hookloop run .*teammate\.idling/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}hooks of agents .*session\.completed/));
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}\.\.\. of codex .*task\.completing/));
  expect(lines.every(line => line.length <= 80)).toBe(true);
});
