import { describe, expect, test } from 'vitest';
import { normaliseText } from '../../../test/contracts/found.ts';
import { type ActionOutcome, decide, type HookDefinition, type HookEvent } from '../../model/index.ts';
import { native } from '../index.ts';

const exited = (exitCode: number, stdout = '', stderr = ''): ActionOutcome => ({
  kind: 'exited',
  exitCode,
  stdout,
  stderr,
});

describe('native: what an outcome decides', () => {
  test('a hook of a moment in -ing refuses when it fails, one of a moment in -ed does not', () => {
    for (const entry of ['type: shell, command: x', 'type: spawn, pipeline: x', 'type: agent, prompt: x']) {
      expect(decisionOf(entry, exited(1), 'tool.calling')).toBe('block');
      expect(decisionOf(entry, exited(1), 'iteration.starting')).toBe('block');
      expect(decisionOf(entry, exited(1), 'tool.called')).toBe('proceed');
    }
    const webhook = 'type: webhook, url: "https://example.com"';
    expect(decisionOf(webhook, { kind: 'replied', status: 500, body: '' }, 'tool.calling')).toBe('block');
    expect(decisionOf(webhook, { kind: 'replied', status: 500, body: '' }, 'tool.called')).toBe('proceed');
  });

  test.each(['gate: false', 'block: false', 'on_failure: continue', 'on_failure: retry, then: continue'])(
    '%s makes it an observer',
    word => {
      expect(decisionOf(`type: shell, command: x, ${word}`, exited(1), 'tool.calling')).toBe('proceed');
      expect(decisionOf(`type: prompt, prompt: x, ${word}`, { kind: 'judged', ok: false, reason: 'no' })).toBe(
        'proceed',
      );
    },
  );

  test('gate: false also lets go what a person has refused', () => {
    const question = 'type: webhook, url: "https://example.com", await: true, gate: false';
    expect(decisionOf(question, { kind: 'answered', action: 'no', message: '', response: {} })).toBe('proceed');
  });

  test.each([
    ['gate: false, block: true', 'gate and block are the same setting'],
    ['gate: false, on_failure: abort', 'a hook that is not a gate cannot end the session'],
  ])('%s contradicts itself', (words, message) => {
    const { hooks, problems } = normalise(`hooks: { tool.calling: [ { type: shell, command: x, ${words} } ] }`);
    expect([hooks, problems.map(problem => problem.message)]).toEqual([[], [message]]);
  });

  test("agent-pipelines' names do not gate by themselves", () => {
    const { hooks } = normalise('hooks: { on_iteration_start: [ { type: shell, command: x, await: true } ] }');
    expect(decide({ kind: 'failed', reason: '' }, exited(1), hooks[0]!).kind).toBe('proceed');
  });

  test('block: true refuses what is pending and sends back what has happened', () => {
    const gate = 'type: shell, command: x, block: true';
    expect(decisionOf(gate, exited(1), 'task.completing')).toBe('block');
    expect(decisionOf(gate, exited(1), 'file.edited')).toBe('revise');
    expect(decisionOf(gate, exited(0), 'task.completing')).toBe('proceed');
  });

  test.each<ActionOutcome>([
    { kind: 'not-started', reason: 'not found' },
    { kind: 'killed', signal: 'SIGKILL', stdout: '', stderr: '' },
    { kind: 'timed-out', afterMs: 5, stdout: '', stderr: '' },
  ])('a gate that cannot answer ($kind) says no', outcome => {
    expect(decisionOf('type: shell, command: x, block: true', outcome, 'tool.calling')).toBe('block');
    expect(decisionOf('type: prompt, prompt: x, block: true', outcome, 'tool.calling')).toBe('block');
  });

  test('then: abort makes retries that never succeed abort', () => {
    expect(decisionOf('type: shell, command: x, await: true, on_failure: retry, then: abort', exited(1))).toBe('abort');
    expect(decisionOf('type: shell, command: x, on_failure: retry', exited(1))).toBe('block');
    expect(decisionOf('type: shell, command: x, on_failure: retry', exited(1), 'task.completed')).toBe('proceed');
  });

  test('a judge that says no or cannot answer refuses', () => {
    const judge = 'type: prompt, prompt: Done?';
    expect(decisionOf(judge, { kind: 'judged', ok: true, reason: '' })).toBe('proceed');
    expect(decisionOf(judge, { kind: 'judged', ok: false, reason: 'no tests' })).toBe('block');
    expect(decisionOf(judge, { kind: 'not-started', reason: 'no agent' })).toBe('block');
    expect(decisionOf(judge, { kind: 'not-started', reason: 'no agent' }, 'task.completed')).toBe('proceed');
    expect(hookOf(judge)).toMatchObject({ wait: true, timeoutMs: 120_000 });
  });

  test('on_failure: revise sends the work back, before and after it is done', () => {
    const gate = 'shell: x, on_failure: revise';
    expect(decisionOf(gate, exited(1), 'task.completing')).toBe('revise');
    expect(decisionOf(gate, exited(1), 'file.edited')).toBe('revise');
    expect(decisionOf(gate, { kind: 'timed-out', afterMs: 5, stdout: '', stderr: '' })).toBe('revise');
    expect(
      normalise('hooks: { tool.calling: [ { shell: x, gate: false, on_failure: revise } ] }').problems,
    ).toMatchObject([{ severity: 'error', message: 'a hook that is no gate sends nothing back' }]);
  });

  test('refuses_on: answer takes the no of a hook that ended well, and no exit code', () => {
    const hook = 'shell: x, answers: json, refuses_on: answer';
    expect(decisionOf(hook, exited(0, no), 'tool.calling')).toBe('block');
    for (const outcome of [exited(1), exited(2), exited(1, no)])
      expect(decisionOf(hook, outcome, 'tool.calling')).toBe('proceed');
    const judge = 'judge: x, refuses_on: answer';
    expect(decisionOf(judge, { kind: 'judged', ok: false, reason: '' })).toBe('block');
    expect(decisionOf(judge, { kind: 'no-answer', reason: '' })).toBe('proceed');
    expect(normalise('hooks: { tool.calling: [ { shell: x, refuses_on: answer } ] }').problems).toMatchObject([
      { severity: 'error', message: 'this hook gives no answer', hint: 'add answers: json, or write exit codes' },
    ]);
  });

  test('an answer of a hook that breaks is a no where exit codes count, and one that cannot be read is a failure', () => {
    expect(decisionOf('shell: x, answers: json, refuses_on: [2]', exited(1, no))).toBe('block');
    expect(decisionOf('shell: x, answers: json, refuses_on: [2]', exited(1))).toBe('proceed');
    expect(decisionOf('shell: x, answers: json', exited(0, '{"decision":'))).toBe('block');
    expect(decisionOf('shell: x, answers: json, gate: false', exited(0, no))).toBe('proceed');
    expect(decisionOf('shell: x, answers: json, gate: false', exited(0, '{"continue": false}'))).toBe('abort');
  });
});

const no = '{"decision": "block", "reason": "no"}';

const decisionOf = (entry: string, outcome: ActionOutcome, event: HookEvent['name'] = 'task.completing') => {
  const hook = hookOf(entry, event);
  return decide(native.interpret(outcome, hook, { name: event }).verdict, outcome, hook).kind;
};

const hookOf = (entry: string, event: HookEvent['name'] = 'task.completing'): HookDefinition =>
  normalise(`hooks: { ${event}: [ { ${entry} } ] }`).hooks[0]!;

function normalise(text: string) {
  return normaliseText(native, text);
}
