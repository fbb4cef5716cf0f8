import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { somewhere } from '../../../test/contracts/dialect.ts';
import type { ActionOutcome, HookDefinition, HookEvent } from '../../model/index.ts';
import { claude } from '../index.ts';

describe('claude takes exit codes', () => {
  test('0 for going on', () => {
    expect(exit(0, 'Stop')).toEqual({ verdict: { kind: 'passed' } });
  });

  test.each([
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'PostToolUseFailure',
    'Stop',
    'TaskCompleted',
    'TeammateIdle',
  ])('2 for a refusal of %s, with stderr as the reason', spelling =>
    expect(exit(2, spelling, '', 'not like this\n').verdict).toEqual({ kind: 'rejected', reason: 'not like this' }),
  );

  test('2 for a refusal that the answer cannot take back, only explain', () => {
    const allow = '{"hookSpecificOutput": {"permissionDecision": "allow"}}';
    expect(exit(2, 'PreToolUse', allow, 'no').verdict).toEqual({ kind: 'rejected', reason: 'no' });
    expect(exit(2, 'PreToolUse', '{"reason": "because"}', 'no').verdict).toEqual({
      kind: 'rejected',
      reason: 'because',
    });
    expect(exit(2, 'PreToolUse', '{"continue": false, "stopReason": "end"}').verdict.kind).toBe('stopped');
  });

  test('2 without a word for a refusal that names the hook', () => {
    expect(exit(2, 'PreToolUse').verdict).toEqual({
      kind: 'rejected',
      reason:
        'Hook "./hook.sh" refused this call of a tool: exit code 2.\n$ ./hook.sh\nDo not repeat this call unchanged.',
    });
  });

  test.each(['SessionStart', 'PermissionRequest', 'SessionEnd', 'StopFailure'])(
    '2 of %s for a failure only',
    spelling => {
      expect(exit(2, spelling, '', 'no').verdict).toEqual({ kind: 'failed', reason: './hook.sh: exit code 2' });
    },
  );

  test.each(['if true', 'echo "', ') x', 'set -u; echo ${NOT_SET_HERE?}'])(
    '2 of the shell on %j for what it may be',
    script => {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
      const { verdict } = exit(status ?? -1, 'PreToolUse', stdout, stderr);
      expect(verdict).toEqual({ kind: 'rejected', reason: `${stderr.trim()} (may be a shell error)` });
    },
  );

  test('2 with an answer or another message for a plain refusal', () => {
    expect(exit(2, 'PreToolUse', '{}', 'sh: 1: Syntax error').verdict).toMatchObject({ reason: 'sh: 1: Syntax error' });
    expect(exit(2, 'PreToolUse', '', 'push: line 3: no').verdict).toMatchObject({ reason: 'push: line 3: no' });
  });

  test.each([1, 127])('%i for nothing decided, unless the answer decides', exitCode => {
    expect(exit(exitCode, 'PreToolUse', 'no').verdict.kind).toBe('failed');
    expect(exit(exitCode, 'PreToolUse', '{"decision": "block", "reason": "no"}').verdict).toEqual({
      kind: 'rejected',
      reason: 'no',
    });
    expect(exit(exitCode, 'PreToolUse', '{"decision": "approve"}').verdict.kind).toBe('failed');
  });
});

describe('claude takes answers', () => {
  test.each([
    [
      'PreToolUse',
      '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}}',
      'rejected',
    ],
    ['PreToolUse', '{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "r"}}', 'asked'],
    ['PostToolUse', '{"decision": "block", "reason": "r"}', 'rejected'],
    ['Stop', '{"decision": "block", "reason": "r"}', 'rejected'],
    ['Stop', '{"hookSpecificOutput": {"additionalContext": "r"}}', 'rejected'],
    ['SubagentStop', '{"hookSpecificOutput": {"additionalContext": "r"}}', 'rejected'],
    ['PermissionRequest', '{"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "r"}}}', 'rejected'],
    ['PreToolUse', '{"continue": false, "stopReason": "r", "decision": "approve"}', 'stopped'],
    ['SessionStart', '{"continue": false, "stopReason": "r"}', 'stopped'],
  ])('of %s: %s', (spelling, stdout, kind) => {
    expect(exit(0, spelling, stdout).verdict).toEqual({ kind, reason: 'r' });
  });

  test.each([
    ['PreToolUse', '{"hookSpecificOutput": {"permissionDecision": "allow"}}'],
    ['PreToolUse', '{"hookSpecificOutput": {"permissionDecision": "defer"}}'],
    ['PermissionRequest', '{"hookSpecificOutput": {"decision": {"behavior": "allow"}}}'],
    ['PreToolUse', 'I say {"decision": "block"}'],
    ['Stop', '{"decision": "approve", "hookSpecificOutput": {"additionalContext": "r"}}'],
    ['SessionStart', '{"decision": "block"}'],
    ['SessionEnd', '{"continue": false}'],
    ['StopFailure', '{"decision": "block"}'],
  ])('of %s that refuse nothing: %s', (spelling, stdout) => {
    expect(exit(0, spelling, stdout).verdict).toEqual({ kind: 'passed' });
  });

  test('additionalContext to the agent', () => {
    const stdout = '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "lint is red"}}';
    expect(exit(0, 'PostToolUse', stdout)).toMatchObject({ verdict: { kind: 'passed' }, feedback: 'lint is red' });
  });

  test.each(['UserPromptSubmit', 'SessionStart'])('plain text of %s to the agent, if it ended well', spelling => {
    expect(exit(0, spelling, 'It is Monday.\n').feedback).toBe('It is Monday.');
    expect(exit(1, spelling, 'It is Monday.\n')).not.toHaveProperty('feedback');
    expect(exit(0, spelling, '{"ok": true}')).not.toHaveProperty('feedback');
    expect(exit(0, 'Stop', 'It is Monday.\n')).not.toHaveProperty('feedback');
  });

  test('that it can only understand in part with a warning', () => {
    expect(exit(0, 'PreToolUse', '{"decision": "block"').warning).toBe('stdout begins with { but is not a JSON object');
    expect(exit(0, 'PreToolUse', '{"hookSpecificOutput": {"updatedInput": "ls"}}').warning).toBe(
      'updatedInput is not an object, so the tool keeps its input',
    );
  });

  test('of a judge: yes and no', () => {
    const hook = hookOf('PreToolUse', { type: 'prompt', prompt: 'Safe?' });
    const judge = (ok: boolean) => claude.interpret({ kind: 'judged', ok, reason: 'r' }, hook, event).verdict;
    expect([judge(true), judge(false)]).toEqual([{ kind: 'passed' }, { kind: 'rejected', reason: 'r' }]);
  });
});

describe('claude with onFailure "block"', () => {
  const hook = hookOf('PreToolUse', { onFailure: 'block' });

  test('blocks on failures and timeouts', () => {
    expect(hook).toMatchObject({ onFailure: 'block', onTimeout: 'block' });
    expect(hookOf('PreToolUse')).toMatchObject({ onFailure: 'continue', onTimeout: 'continue' });
  });

  test.each(['{"decision": "block"', '{"decision": "blok"}'])(
    'takes %s, which it cannot understand, for a failure',
    stdout => {
      expect(claude.interpret(exited(0, stdout), hook, event).verdict.kind).toBe('failed');
    },
  );

  test('goes on after an answer that it understands', () => {
    expect(claude.interpret(exited(0, '{"decision": "approve"}'), hook, event).verdict.kind).toBe('passed');
    expect(claude.interpret(exited(0, 'fine'), hook, event).verdict.kind).toBe('passed');
  });
});

const event: HookEvent = { name: 'tool.calling' };

const exited = (exitCode: number, stdout: string, stderr = ''): ActionOutcome => ({
  kind: 'exited',
  exitCode,
  stdout,
  stderr,
});

const exit = (exitCode: number, spelling: string, stdout = '', stderr = '') =>
  interpretAt(hookOf(spelling), exited(exitCode, stdout, stderr));

/** With the event that the hook is for. */
const interpretAt = (hook: HookDefinition, outcome: ActionOutcome) =>
  claude.interpret(outcome, hook, { ...event, name: hook.event });

function hookOf(spelling: string, entry: object = {}) {
  const hooks = { [spelling]: [{ hooks: [{ type: 'command', command: './hook.sh', ...entry }] }] };
  const location = claude.locations[0]!;
  const found = { kind: 'text', location, path: `/p/${location.path}`, file: location.path } as const;
  return claude.normalise([{ ...found, text: JSON.stringify({ hooks }) }], somewhere).hooks[0]!;
}
