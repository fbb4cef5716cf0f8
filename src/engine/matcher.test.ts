import { expect, test } from 'vitest';
import { matcherPattern } from './matcher.ts';

test.each([
  ['', 'Bash', true],
  ['*', 'Bash', true],
  ['Edit|Write', 'Write', true],
  ['Edit, Write', 'Write', true],
  ['Edit|Write', 'NotebookEdit', false],
  ['Edit.*', 'NotebookEdit', true],
  ['^Edit$', 'NotebookEdit', false],
  ['edit', 'Edit', false],
  ['mcp__memory__.*', 'mcp__memory__create', true],
  ['mcp__memory', 'mcp__memory__create', false],
])('matcher %j on %s: %s', (matcher, name, expected) => {
  expect(matcherPattern(matcher)(name)).toBe(expected);
});

test.each(['^(a+)+$', `^${'a?'.repeat(40)}b$`, `^${'(a|a)'.repeat(40)}b`])(
  '%s never ends, and counts as a match, so that a gate still runs',
  matcher => {
    expect(matcherPattern(matcher)(`${'a'.repeat(40)}!`)).toBe(true);
  },
);
