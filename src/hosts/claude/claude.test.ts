import { expect, test } from 'vitest';
import { testHost } from '../../../test/contracts/host.ts';
import { claude } from './host.ts';
import { settings } from './settings.ts';

testHost({
  host: claude,
  settings,
  fixtures: new URL('./fixtures/', import.meta.url),
  timeout: { key: 'timeout', perSecond: 1 },
});

test('a task is refused also in words that Claude Code takes for a missing script', () => {
  const reason = "cat: a: No such file or directory\nsh: can't open b";
  const { stderr, exitCode } = claude.answer('TaskCompleted', {
    decision: { kind: 'block', reason, by: 'x' },
    feedback: '',
  });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/No\s+such file or directory\nsh: can't\s+open b/);
  expect(stderr).not.toMatch(/no such file|can't open/i);
});
