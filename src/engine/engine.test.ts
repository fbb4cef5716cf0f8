import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { claudeSettings, createEngineProject, nativeHook } from '../../test/engine-project.ts';
import type { ActionRunners, Progress } from '../model/index.ts';

const { path, log, write, engineHere, fire } = createEngineProject();

describe('hooks of one event', () => {
  test('run in the order of the file, and a gate that fails ends the gates after it', async () => {
    write('.sauna/hooks.json', '["echo one >> log", "echo two >> log; exit 3", "echo three >> log"]');
    const result = await fire({ name: 'task.completing', taskId: 'T1' });
    expect(log()).toBe('one\ntwo\n');
    expect(result.decision).toEqual({
      kind: 'revise',
      reason: 'echo two >> log; exit 3: exit code 3',
      by: 'sauna:.sauna/hooks.json#gate[1]',
    });
    expect(result.results[2]).toEqual({
      status: 'skipped',
      hook: 'sauna:.sauna/hooks.json#gate[2]',
      why: '"echo two >> log; exit 3" had already refused',
    });
  });

  test('of a dialect that promises to run all of its hooks run after another dialect’s refusal', async () => {
    write('.sauna/hooks.json', '["exit 1"]');
    write('.claude/settings.json', claudeSettings('TaskCompleted', 'echo ran >> log'));
    expect((await fire({ name: 'task.completing' })).decision.kind).toBe('revise');
    expect(log()).toBe('ran\n');
  });

  test('no longer run once the session is aborted', async () => {
    write(
      'hookloop.yaml',
      'hooks:\n  task.completing:\n    - { type: shell, command: exit 1, await: true, on_failure: abort }\n',
    );
    write('.claude/settings.json', claudeSettings('TaskCompleted', 'echo ran >> log'));
    expect((await fire({ name: 'task.completing' })).decision.kind).toBe('abort');
    expect(existsSync(path('log'))).toBe(false);
  });

  test('run side by side where their dialect says so', async () => {
    const meet = (own: string, other: string): string =>
      `touch ${own}; for i in $(seq 200); do [ -e ${other} ] && exit 0; sleep 0.02; done; exit 2`;
    write('.claude/settings.json', claudeSettings('Stop', meet('a', 'b'), meet('b', 'a')));
    expect((await fire({ name: 'turn.ending' })).decision.kind).toBe('proceed');
  });

  test('settle on the strictest decision, with the reasons of equally strict ones joined', async () => {
    const deny = (reason: string): string => `echo '{"decision":"block","reason":"${reason}"}'`;
    write('.claude/settings.json', claudeSettings('Stop', deny('tests fail'), 'exit 0', deny('docs are old')));
    expect((await fire({ name: 'turn.ending' })).decision).toMatchObject({
      kind: 'block',
      reason: 'tests fail\ndocs are old',
    });
  });

  test('come from stage to plugin, and inside a scope from native to Claude-style', async () => {
    write('.a5c/hooks/on-task-complete/x.sh', '#!/bin/sh\necho babysitter >> log\n', 0o755);
    write('.iteratr.hooks.yml', 'hooks:\n  on_task_complete:\n    - command: echo iteratr >> log\n');
    write(
      'hookloop.yaml',
      'hooks:\n  task.completed:\n    - { type: shell, command: echo native >> log, await: true }\n',
    );
    write(
      'home/.config/hookloop/hooks.yaml',
      'hooks:\n  task.completed:\n    - { type: shell, command: echo user >> log, await: true }\n',
    );
    await fire({ name: 'task.completed' });
    expect(log()).toBe('native\niteratr\nbabysitter\nuser\n');
  });
});

describe('an event that has happened', () => {
  test('reaches every hook: what one of them sends back may be the end of the session for the next', async () => {
    write(
      'hookloop.yaml',
      'hooks:\n  iteration.completed:\n    - { type: shell, command: exit 1, block: true }\n    - { type: shell, command: echo "$LAST_HOOK_STATUS" >> log }\n    - { type: shell, command: exit 1, on_failure: abort }\n',
    );
    expect((await fire({ name: 'iteration.completed' })).decision.kind).toBe('abort');
    expect(log()).toBe('failed\n');
  });
});

describe('an action', () => {
  test('is retried with its pause until it passes, and the attempts are counted', async () => {
    write(
      'hookloop.yaml',
      nativeHook(
        'echo x >> log; test $(wc -l < log) -ge 3',
        'await: true, on_failure: retry, retries: 5, retry_delay: 0.01',
      ),
    );
    const [result] = (await fire({ name: 'turn.ended' })).results;
    expect(result).toMatchObject({ status: 'finished', attempts: 3, verdict: { kind: 'passed' } });
  });

  test('`retries: 2` is up to three runs, and a retry that never succeeds goes on', async () => {
    write(
      'hookloop.yaml',
      nativeHook('echo x >> log; exit 1', 'await: true, on_failure: retry, retries: 2, retry_delay: 0'),
    );
    const result = await fire({ name: 'turn.ended' });
    expect([log(), result.decision.kind]).toEqual(['x\nx\nx\n', 'proceed']);
  });

  test('that is not awaited is started and left; its end is told later', async () => {
    write('hookloop.yaml', nativeHook('while [ ! -e go ]; do sleep 0.02; done; echo done >> log', 'await: false'));
    const progress: Progress[] = [];
    const engine = engineHere({ onProgress: step => progress.push(step) });
    expect((await engine.fire({ name: 'turn.ended' })).results).toEqual([
      { status: 'detached', hook: 'native:hookloop.yaml#turn.ended[0]' },
    ]);
    expect(progress.map(({ type }) => type)).toEqual(['started']);
    writeFileSync(path('go'), '');
    await engine.settle();
    expect([log(), progress.at(-1)?.type]).toEqual(['done\n', 'finished']);
  });

  test('whose kind has no runner is reported with what is missing, and a gate among them refuses', async () => {
    write(
      'hookloop.yaml',
      'hooks:\n  stage.completed:\n    - { type: webhook, url: "https://example.com/x" }\n    - { type: spawn, pipeline: review, on_failure: abort }\n',
    );
    const result = await fire({ name: 'stage.completed' });
    expect(result.decision).toMatchObject({
      kind: 'abort',
      reason: expect.stringContaining('pass createEngine a runner as actions.spawn'),
    });
  });

  test('may be given a runner of one’s own, whose answers pass to later actions', async () => {
    write(
      'hookloop.yaml',
      `hooks:\n  stage.completed:\n    - { type: webhook, url: "https://example.com/x", await: true }\n    - { type: spawn, pipeline: review }\n    - { type: shell, command: 'echo "$HOOK_RESPONSE $SPAWN_OUTPUT $LAST_HOOK_STATUS" >> log', await: true }\n`,
    );
    const actions: ActionRunners = {
      webhook: async () => ({
        kind: 'answered',
        action: 'approve',
        message: 'fine',
        response: { action: 'approve', message: 'fine' },
      }),
      spawn: async () => ({ kind: 'child-finished', succeeded: false, output: '{"bugs":2}' }),
    };
    await engineHere({ actions }).fire({ name: 'stage.completed' });
    expect(log()).toBe('{"action":"approve","message":"fine"} {"bugs":2} failed\n');
  });

  test('sees the status of the action before it; skipped and unawaited ones leave it unchanged', async () => {
    write(
      'hookloop.yaml',
      [
        'hooks:',
        '  turn.ended:',
        '    - { type: shell, command: exit 1, await: true }',
        '    - { type: shell, command: exit 0, await: false }',
        '    - { type: shell, command: exit 0, await: true, when: "ITERATION == 99" }',
        `    - { type: shell, command: 'echo "$LAST_HOOK_STATUS" >> log', await: true, when: "\${LAST_HOOK_STATUS} == 'failed'" }`,
        `    - { type: shell, command: 'echo again >> log', await: true, when: "\${LAST_HOOK_STATUS} == 'failed'" }`,
      ].join('\n'),
    );
    await fire({ name: 'turn.ended' });
    expect(log()).toBe('failed\n');
  });
});

describe('a condition', () => {
  test('that is false skips the hook and says so', async () => {
    write('hookloop.yaml', nativeHook('echo x >> log', 'await: true, when: "${ITERATION} % 10 == 0"'));
    expect((await fire({ name: 'turn.ended', iteration: 9 })).results[0]).toMatchObject({
      status: 'skipped',
      why: 'when is false: ${ITERATION} % 10 == 0',
    });
    expect((await fire({ name: 'turn.ended', iteration: 20 })).results[0]).toMatchObject({ status: 'finished' });
  });

  test('that cannot be answered never counts as false: the hook fails by its own policy', async () => {
    write(
      'hookloop.yaml',
      nativeHook('echo x >> log', 'await: true, on_failure: abort, when: "1 % MAX_ITERATIONS == 0"'),
    );
    const result = await fire({ name: 'turn.ended' });
    expect([result.decision.kind, existsSync(path('log'))]).toEqual(['abort', false]);
  });
});
