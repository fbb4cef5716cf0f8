import { describe, expect, test } from 'vitest';
import { createEngineProject } from '../../../test/engine-project.ts';
import type { ActionOutcome, EventName, HookEvent } from '../../model/index.ts';
import { refusalMessage } from './outcome.ts';

const { write, fire, engineHere } = createEngineProject();
const nativeGate = (event: EventName, command: string, fields = ''): void =>
  write(
    'hookloop.yaml',
    `hooks:\n  ${event}:\n    - { type: shell, name: unit tests, command: ${JSON.stringify(command)}, block: true${fields} }\n`,
  );

describe('a gate without words of its own tells the agent', () => {
  test('its name, its command, how it ended and all it printed, as the decision and as feedback', async () => {
    nativeGate('task.completing', 'echo "FAIL adds"; echo "expected 3" >&2; exit 1');
    const { decision, feedback } = await fire({ name: 'task.completing' });
    const text = [
      'Hook "unit tests" refused this task: exit code 1.',
      '$ echo "FAIL adds"; echo "expected 3" >&2; exit 1',
      'FAIL adds',
      'expected 3',
      'Fix this, then finish the task again.',
    ].join('\n');
    expect(decision).toMatchObject({ kind: 'block', reason: text });
    expect(feedback).toBe(text);
  });

  test('when it ran too long, was killed or could not start', async () => {
    nativeGate('task.completing', 'echo begun; sleep 60', ', timeout: 0.3');
    const refusal = async () => (await fire({ name: 'task.completing' })).feedback;
    expect(await refusal()).toMatch(
      /refused this task: timed out after 0\.3 s\.\n\$ echo begun; sleep 60\nbegun\nFix this/,
    );
    nativeGate('task.completing', 'kill -9 $$');
    expect(await refusal()).toMatch(/refused this task: killed by SIGKILL\.\n/);
    const cannotStart: ActionOutcome = { kind: 'not-started', reason: 'sh was not found' };
    const engine = engineHere({ actions: { shell: async () => cannotStart } });
    expect((await engine.fire({ name: 'task.completing' })).feedback).toMatch(
      /could not start: sh was not found\.\n\$ kill/,
    );
  });

  test('beside what hooks before it had to say', async () => {
    write(
      'hookloop.yaml',
      'hooks:\n  task.completing:\n    - { type: shell, command: echo formatted, feedback: true }\n    - { type: shell, name: tests, command: exit 1, block: true }\n',
    );
    expect((await fire({ name: 'task.completing' })).feedback).toMatch(/^formatted\nHook "tests" refused this task/);
  });

  test('head and tail of a long output, how many lines are missing, and where all of it is', async () => {
    nativeGate('task.completing', 'seq 1 20000; exit 1');
    const { decision } = await fire({ name: 'task.completing' });
    const reason = 'reason' in decision ? decision.reason : '';
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(32 * 1024);
    expect(reason).toMatch(/^Hook "unit tests" refused this task: exit code 1\.\n\$ seq 1 20000; exit 1\n1\n2\n/);
    expect(reason).toMatch(/\n20000\nFix this, then finish the task again\.$/);
    const [, before, count, after] = /\n(\d+)\n\.\.\. \(([\d,]+) more lines: \S+unit-tests\.txt\)\n(\d+)\n/.exec(
      reason,
    )!;
    expect(Number(after) - Number(before) - 1).toBe(Number(count!.replaceAll(',', '')));
  });
});

test.each<[HookEvent, RegExp]>([
  [{ name: 'tool.calling', tool: 'Bash' }, /refused this call of Bash: .*\nDo not repeat this call unchanged/s],
  [{ name: 'turn.ending' }, /refused the end of this turn: .*\nFix this, then end the turn again\.$/s],
  [{ name: 'prompt.submitting' }, /refused this prompt: .*\nChange the prompt, then send it again\.$/s],
  [{ name: 'commit.creating' }, /refused this commit: .*\nFix this, then commit again\.$/s],
  [{ name: 'file.edited', file: 'src/a.ts' }, /refused the edit of src\/a\.ts: .*\nFix this before you go on\.$/s],
  [{ name: 'tool.called', tool: 'Edit' }, /refused the result of Edit: .*\nFix this before you go on\.$/s],
])('the words fit %j', async (event, words) => {
  nativeGate(event.name, 'exit 1');
  const { decision } = await fire(event);
  expect('reason' in decision ? decision.reason : '').toMatch(words);
});

test.each<[ActionOutcome, string]>([
  [{ kind: 'judged', ok: false, reason: 'No test covers it.' }, 'the judge said no.\nNo test covers it.'],
  [{ kind: 'no-answer', reason: 'it said nothing' }, 'the judge gave no answer (it said nothing).'],
  [
    { kind: 'answered', action: 'reject', message: 'not on Friday', response: {}, by: 'ana with hookloop reject' },
    'ana with hookloop reject answered "reject".\nnot on Friday',
  ],
])('a judge or a person who says no is quoted: %j', (outcome, words) => {
  const action = { kind: 'prompt', prompt: 'Good?' } as const;
  const message = refusalMessage(outcome, { name: 'review', action } as never, { name: 'task.completing' });
  expect(message).toBe(`Hook "review" refused this task: ${words}\nFix this, then finish the task again.`);
});

test.each([
  ['https://user:key@policy.example.com/hooks/secret?token=x', ' from policy.example.com'],
  ['${POLICY_URL}', ''],
])('a receiver that says no is named by its host alone, and quoted: %s', (url, from) => {
  const outcome: ActionOutcome = { kind: 'replied', status: 403, body: 'Not without a ticket.' };
  const hook = { name: 'policy', action: { kind: 'webhook', url } } as never;
  expect(refusalMessage(outcome, hook, { name: 'task.completing' })).toBe(
    `Hook "policy" refused this task: HTTP status 403${from}.\nNot without a ticket.\nFix this, then finish the task again.`,
  );
});

test('a Claude-style hook that breaks where it must not, or refuses without a word, is told in full', async () => {
  const entry = (command: string, more = {}) => ({ type: 'command', command, ...more });
  const settings = (...hooks: unknown[]): void =>
    write('.claude/settings.json', JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }));
  const refusal = async () => {
    const { decision } = await fire({ name: 'tool.calling', tool: 'Bash', input: { command: 'ls' } });
    return 'reason' in decision ? decision.reason : decision.kind;
  };
  settings(entry('echo oops; exit 1', { onFailure: 'block' }));
  expect(await refusal()).toMatch(
    /^Hook "echo oops; exit 1" refused this call of Bash: exit code 1\.\n\$ .*\noops\nDo not/,
  );
  settings(entry('exit 2'));
  expect(await refusal()).toMatch(/^Hook "exit 2" refused this call of Bash: exit code 2\./);
  settings(entry('echo "use rg" >&2; exit 2'));
  expect(await refusal()).toBe('use rg');
});
