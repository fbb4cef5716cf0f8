import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { somewhere, testDialect } from '../../../test/contracts/dialect.ts';
import { type ActionOutcome, decide, type HookDefinition, type HookEvent } from '../../model/index.ts';
import { iteratr } from '../index.ts';

testDialect(iteratr, new URL('./fixtures/', import.meta.url));

const lint = hookOf('pre_iteration', 'make lint');

describe('the text of an iteratr hook', () => {
  test('is its stdout, letter by letter', () => {
    expect(textOf({ kind: 'exited', exitCode: 0, stdout: ' M a.go\n', stderr: '' })).toBe(' M a.go\n');
  });

  test('has stderr after stdout under its own heading', () => {
    expect(textOf({ kind: 'exited', exitCode: 0, stdout: 'out\n', stderr: 'err\n' })).toBe('out\n\n[stderr]\nerr\n');
    expect(textOf({ kind: 'exited', exitCode: 0, stdout: '', stderr: 'err' })).toBe('\n[stderr]\nerr');
  });

  test('begins with the exit status of a hook that failed', () => {
    expect(textOf({ kind: 'exited', exitCode: 3, stdout: 'out', stderr: 'err' })).toBe(
      '[Hook command failed: exit status 3]\nout\n[stderr]\nerr',
    );
  });

  test('begins with the signal that killed it', () => {
    expect(textOf({ kind: 'killed', signal: 'SIGKILL', stdout: 'out', stderr: '' })).toBe(
      '[Hook command failed: signal: SIGKILL]\nout',
    );
  });

  test('says after how many seconds it timed out and keeps the partial output', () => {
    expect(textOf({ kind: 'timed-out', afterMs: 5000, stdout: 'half', stderr: 'err' })).toBe(
      '[Hook timed out after 5s]\nPartial output:\nhalf\n[stderr]\nerr',
    );
  });

  test('says why it could not start', () => {
    expect(textOf({ kind: 'not-started', reason: 'no such folder' })).toBe(
      '[Hook command failed: could not start: no such folder]\n',
    );
  });

  test.each<ActionOutcome>([{ kind: 'exited', exitCode: 0, stdout: '', stderr: '' }, { kind: 'cancelled' }])(
    'is nothing for $kind without output',
    outcome => expect(iteratr.interpret(outcome, lint, { name: 'iteration.starting' })).not.toHaveProperty('feedback'),
  );
});

describe('iteratr', () => {
  test.each<ActionOutcome>([
    { kind: 'exited', exitCode: 1, stdout: '', stderr: '' },
    { kind: 'killed', signal: 'SIGTERM', stdout: '', stderr: '' },
    { kind: 'timed-out', afterMs: 30_000, stdout: '', stderr: '' },
    { kind: 'not-started', reason: 'not found' },
  ])('goes on with the session when a hook ends as $kind', outcome => {
    const { verdict } = iteratr.interpret(outcome, lint, { name: 'iteration.starting' });
    expect(verdict.kind).toBe('failed');
    expect(decide(verdict, outcome, lint)).toEqual({ kind: 'proceed' });
  });

  test('never stops a session for a bad file', () => {
    const texts = ['hooks: [', 'hooks: 7', 'hooks: { on_error: [{ command: 7 }, { command: "eval {{error}}" }] }'];
    for (const text of texts) {
      const { problems } = normalise(text);
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.filter(problem => problem.refuses)).toEqual([]);
    }
    expect(iteratr.badFile).toBe('leave-out');
  });

  test.each(['', ' \n', '# nothing\n', '~', 'version: 1', 'hooks:', 'hooks: {}'])('takes %j for no hooks', text => {
    expect(normalise(text)).toEqual({ hooks: [], problems: [] });
  });

  test('points at an unknown placeholder and names the nearest known one', () => {
    const text = 'hooks:\n  on_error:\n    - command: "echo {{eror}}"\n';
    expect(normalise(text).problems).toEqual([
      {
        severity: 'warning',
        message: 'unknown placeholder {{eror}}; it stays as it is',
        hint: 'did you mean {{error}}?',
        at: {
          file: '.iteratr.hooks.yml',
          line: 3,
          column: 22,
          lineText: '    - command: "echo {{eror}}"',
          length: 8,
        },
        refuses: false,
      },
    ]);
    expect(run(hookOf('on_error', 'echo {{eror}}'), { name: 'iteration.failed' })).toBe('{{eror}}\n');
  });
});

describe('a placeholder of iteratr', () => {
  const hostile = '$(touch PWNED) `touch PWNED` \'; touch PWNED; \' "; touch PWNED; " \\ * ~ \n end';
  const event: HookEvent = {
    name: 'task.completed',
    session: 'main',
    iteration: 4,
    taskId: 'T-1',
    content: hostile,
    error: 'boom',
  };

  test.each(['printf %s {{task_content}}', 'printf %s "{{task_content}}"', "printf %s '{{task_content}}'"])(
    'reaches the command as one exact argument in %j',
    command => {
      expect(run(hookOf('on_task_complete', command), event)).toBe(hostile);
    },
  );

  test.each([
    ['session_start', 'main|||'],
    ['pre_iteration', 'main|4||'],
    ['post_iteration', 'main|4||'],
    ['session_end', 'main|||'],
    ['on_task_complete', 'main||T-1|'],
    ['on_error', 'main|4||boom'],
  ])('has a value in %s only where the documentation lists it', (type, expected) => {
    expect(run(hookOf(type, 'printf %s {{session}}"|{{iteration}}|{{task_id}}|"{{error}}'), event)).toBe(expected);
  });

  test('is empty where the event does not carry its value', () => {
    expect(
      run(hookOf('on_error', 'printf %s "<{{session}}{{iteration}}{{error}}>"'), { name: 'iteration.failed' }),
    ).toBe('<>');
  });
});

function textOf(outcome: ActionOutcome): string | undefined {
  return iteratr.interpret(outcome, lint, { name: 'iteration.starting' }).feedback;
}

function run(hook: HookDefinition, event: HookEvent): string {
  if (hook.action.kind !== 'shell' || hook.action.run.via !== 'sh') throw new Error('not an sh hook');
  const carried = { lastHookStatus: '', hookResponse: '', spawnOutput: '' } as const;
  const { env } = iteratr.present(event, hook, { places: somewhere, carried, env: {} });
  return spawnSync('sh', ['-c', hook.action.run.script], { env, encoding: 'utf8' }).stdout;
}

function hookOf(type: string, command: string): HookDefinition {
  return normalise(JSON.stringify({ hooks: { [type]: [{ command }] } })).hooks[0]!;
}

function normalise(text: string) {
  const location = iteratr.locations[0]!;
  return iteratr.normalise(
    [{ kind: 'text', location, path: '/p/.iteratr.hooks.yml', file: '.iteratr.hooks.yml', text }],
    somewhere,
  );
}
