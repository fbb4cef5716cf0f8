import { describe, expect, test } from 'vitest';
import { testHost } from '../../../test/contracts/host.ts';
import type { Decision } from '../../model/index.ts';
import { codex } from './host.ts';
import { settings } from './settings.ts';

testHost({
  host: codex,
  settings,
  fixtures: new URL('./fixtures/', import.meta.url),
  timeout: { key: 'timeout', perSecond: 1 },
});

/** The fields that Codex knows; one more and the whole answer is thrown away and the tool runs. */
const known: Readonly<Record<string, readonly string[]>> = {
  '': ['continue', 'stopReason', 'suppressOutput', 'systemMessage', 'decision', 'reason', 'hookSpecificOutput'],
  hookSpecificOutput: [
    'hookEventName',
    'additionalContext',
    'permissionDecision',
    'permissionDecisionReason',
    'decision',
  ],
  decision: ['behavior', 'message'],
};

describe('an answer to Codex', () => {
  const decisions: Decision[] = [
    { kind: 'block', reason: '', by: 'h' },
    { kind: 'block', reason: 'r', by: 'h', ask: true },
    { kind: 'abort', reason: 'r', by: 'h' },
    { kind: 'revise', reason: 'r', by: 'h' },
  ];
  const answers = Object.keys(codex.events).flatMap(native =>
    decisions.map(decision => ({ native, decision, ...codex.answer(native, { decision, feedback: 'f' }) })),
  );

  test('holds no field that Codex does not know', () => {
    for (const { stdout } of answers) {
      if (stdout === '') continue;
      const answer = JSON.parse(stdout);
      expect(known['']).toEqual(expect.arrayContaining(Object.keys(answer)));
      expect(known['hookSpecificOutput']).toEqual(expect.arrayContaining(Object.keys(answer.hookSpecificOutput ?? {})));
      expect(known['decision']).toEqual(expect.arrayContaining(Object.keys(answer.hookSpecificOutput?.decision ?? {})));
    }
  });

  test('before a tool is a denial with a reason and nothing else, whatever the hooks wanted', () => {
    for (const { native, stdout } of answers) {
      if (native !== 'PreToolUse') continue;
      const answer = JSON.parse(stdout);
      expect(Object.keys(answer)).toEqual(['hookSpecificOutput']);
      expect(answer.hookSpecificOutput).toEqual({
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/\S/),
      });
    }
  });
});
