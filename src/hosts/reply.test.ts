import { describe, expect, test } from 'vitest';
import type { Decision, EventResult } from '../model/index.ts';
import { toReply } from './reply.ts';

const block = (reason: string): Decision => ({ kind: 'block', reason, by: 'x' });

function result(decision: Decision, ...hooks: readonly { decision: Decision; feedback?: string }[]): EventResult {
  const results = hooks.map(({ decision: own, feedback }, index) => ({
    status: 'finished' as const,
    hook: `native:f#${index}` as EventResult['results'][number]['hook'],
    outcome: { kind: 'exited' as const, exitCode: 1, stdout: '', stderr: '', durationMs: 1 },
    verdict: { kind: 'passed' as const },
    decision: own,
    ...(feedback !== undefined && { feedback }),
    attempts: 1,
    durationMs: 1,
  }));
  return { event: 'tool.calling', decision, feedback: '', results: results as unknown as EventResult['results'] };
}

describe('a reply', () => {
  test('refuses with the text that the refusing hook has for the agent', () => {
    const refused = block('check.sh: exit code 1');
    const reply = toReply([result(refused, { decision: refused, feedback: 'check.sh (exit 1)\nline 3 costs $& 5' })]);
    expect(reply).toEqual({ decision: block('check.sh (exit 1)\nline 3 costs $& 5'), feedback: '' });
  });

  test('keeps the reason of a hook that has no text', () => {
    const reply = toReply([
      result(
        block('first\nsecond'),
        { decision: block('first') },
        { decision: block('second'), feedback: 'second, at length' },
      ),
    ]);
    expect(reply.decision).toEqual(block('first\nsecond, at length'));
  });

  test('says a reason once that is the text', () => {
    expect(toReply([result(block('no'), { decision: block('no'), feedback: 'no' })]).decision).toEqual(block('no'));
  });

  test('tells the texts of hooks that have nothing against it, and of those that refuse less strictly', () => {
    const fix: Decision = { kind: 'revise', reason: 'fix', by: 'x' };
    const reply = toReply([
      result(
        block('no'),
        { decision: { kind: 'proceed' }, feedback: 'fine by me' },
        { decision: fix, feedback: 'fix it' },
        { decision: block('no') },
      ),
    ]);
    expect(reply).toEqual({ decision: block('no'), feedback: 'fine by me\nfix it' });
  });
});
