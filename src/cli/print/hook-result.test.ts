import { describe, expect, test } from 'vitest';
import type { ActionOutcome, Decision, HookResult, Verdict } from '../../model/index.ts';
import { gateFailed, passed, refused } from '../view/fixtures/notices.ts';
import { hookWords } from './hook-result.ts';

const words = (result: HookResult, name = 'npm test') =>
  hookWords({ name, event: 'task.completing', result, subject: 'task T1' });

const finished = (outcome: ActionOutcome, verdict: Verdict, decision: Decision = { kind: 'proceed' }): HookResult => ({
  status: 'finished',
  hook: 'h',
  outcome,
  verdict,
  decision,
  attempts: 1,
  durationMs: 1000,
});
const broke: Verdict = { kind: 'failed', reason: 'why' };

describe('the result of a hook', () => {
  test('that passed tells how long it took and what the agent gets of it', () => {
    expect(words(passed(412))).toEqual({
      mark: 'done',
      text: 'hook npm test passed in 0.4 s',
      aside: 'task.completing',
      lasting: true,
    });
    expect(words(passed(412, 'a\nb\n')).text).toBe('hook npm test passed in 0.4 s, 2 lines for the agent');
  });

  test('that failed as a gate shows the beginning and the end of its output', () =>
    expect(words(gateFailed(3210, 'one\n\n  two\r\n3\n4\n5\n6\n7\n8\n9\n10\n'))).toEqual({
      mark: 'failed',
      text: 'hook npm test failed in 3.2 s: exit code 1; the agent fixes it',
      aside: 'task.completing',
      details: ['one', '  two', '... 2 more lines ...', '5', '6', '7', '8', '9', '10'],
      lasting: true,
    }));

  test('of a gate that the agent cannot fix any more says so', () => {
    const last = hookWords({
      name: 'npm test',
      event: 'task.completing',
      result: gateFailed(3210, ''),
      subject: 'task T1',
      noFixLeft: true,
    });
    expect(last.text).toBe('hook npm test failed in 3.2 s: exit code 1; the agent has no fix attempt left');
  });

  test('that refused something names it and the reason', () =>
    expect(words(refused('not today'))).toMatchObject({
      mark: 'refused',
      text: 'hook npm test refused task T1: not today',
      details: [],
    }));

  test('that a person decided says who, and in which way', () => {
    const outcome: ActionOutcome = {
      kind: 'answered',
      action: 'reject',
      message: '',
      response: {},
      by: '\x1b[1mana',
    };
    const rejected: Verdict = { kind: 'rejected', reason: 'answered reject' };
    expect(words(finished(outcome, { kind: 'passed' })).text).toMatch(
      /^hook npm test passed in 1\.0 s \(answered by [^\x1b]*ana\)$/,
    );
    expect(words(finished(outcome, rejected, { kind: 'abort', reason: '', by: 'h' })).text).toMatch(
      /^hook npm test said no \(answered by [^\x1b]*ana\): answered reject; the session ends$/,
    );
    const { by: _, ...unknown } = outcome;
    expect(words(finished(unknown, { kind: 'passed' })).text).toBe('hook npm test passed in 1.0 s');
  });

  test('that a person did not allow is no failure of the hook', () => {
    const outcome: ActionOutcome = { kind: 'answered', action: 'reject', message: 'not now', response: {}, by: 'ana' };
    const decision: Decision = { kind: 'block', reason: '', by: 'h' };
    expect(words(finished(outcome, broke, decision))).toMatchObject({
      mark: 'refused',
      text: 'hook npm test refused task T1: not now (answered by ana)',
    });
  });

  test('with a reason of several lines has them below', () =>
    expect(words(refused('no:\nfirst\nsecond'))).toMatchObject({
      text: 'hook npm test refused task T1',
      details: ['no:', 'first', 'second'],
    }));

  test.each<[ActionOutcome, string]>([
    [{ kind: 'killed', signal: 'SIGSEGV', stdout: '', stderr: '' }, 'killed by SIGSEGV'],
    [{ kind: 'timed-out', afterMs: 30_000, stdout: '', stderr: '' }, 'timed out after 30 s'],
    [{ kind: 'not-started', reason: 'no such file' }, 'no such file'],
    [{ kind: 'cancelled' }, 'cancelled'],
    [{ kind: 'replied', status: 503, body: '' }, 'HTTP status 503'],
    [{ kind: 'child-finished', succeeded: false, output: '' }, 'the child pipeline failed'],
    [{ kind: 'judged', ok: false, reason: 'too long' }, 'too long'],
    [{ kind: 'exited', exitCode: 0, stdout: '', stderr: '' }, 'why'],
  ])('that broke by %j says so', (outcome, said) =>
    expect(words(finished(outcome, broke)).text).toBe(`hook npm test failed in 1.0 s: ${said}; the session continues`),
  );

  test.each<[Decision['kind'], string]>([
    ['block', 'the agent fixes it'],
    ['abort', 'the session ends'],
  ])('that leads to %s says so', (kind, said) => {
    const decision = { kind, reason: '', by: 'h' } as Decision;
    expect(words(finished({ kind: 'not-started', reason: 'gone' }, broke, decision)).text).toBe(
      `hook npm test failed in 1.0 s: gone; ${said}`,
    );
  });

  test('that was cancelled with its session does not promise a fix', () => {
    const decision = { kind: 'block', reason: '', by: 'h' } as Decision;
    expect(words(finished({ kind: 'cancelled' }, broke, decision)).text).toBe(
      'hook npm test failed in 1.0 s: cancelled',
    );
  });

  test('that refuses something else than a task names it', () => {
    const result = finished({ kind: 'cancelled' }, broke, { kind: 'block', reason: '', by: 'h' });
    const told = hookWords({ name: 'guard', event: 'tool.calling', result, subject: 'Bash rm -rf v' });
    expect(told.text).toBe('hook guard failed in 1.0 s: cancelled; Bash rm -rf v is refused');
  });

  test('counts its attempts', () =>
    expect(words({ ...gateFailed(1000, ''), attempts: 3 } as HookResult).text).toContain(
      'failed in 1.0 s and 3 attempts:',
    ));

  test('cannot steer the terminal, whatever its name and output hold', () => {
    const { text, details } = words(gateFailed(1, 'a\x1b[2Jb\u202e'), 'x\x1b]0;title\x07\ny');
    expect([text, ...details!].join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain('x\ufffd]0;title\ufffd y');
  });

  test('goes by a shortened command where it has a long one', () =>
    expect(words(passed(1), 'x'.repeat(500)).text.length).toBeLessThan(100));
});
