import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { somewhere, testDialect } from '../../../test/contracts/dialect.ts';
import { normaliseText } from '../../../test/contracts/found.ts';
import { type ActionOutcome, decide, type HookDefinition, type HookEvent } from '../../model/index.ts';
import { pipelines } from '../index.ts';

const fixtures = new URL('./fixtures/', import.meta.url);
testDialect(pipelines, fixtures);

const output = { stdout: '', stderr: '' };
const event: HookEvent = { name: 'stage.completed' };
const answer = (action: string, message = ''): ActionOutcome => ({ kind: 'answered', action, message, response: {} });

describe('agent-pipelines: config', () => {
  test.each(readdirSync(fixtures).filter(name => /^(seed|pattern)-/.test(name)))(
    'the example %s of the specification loads without a problem',
    name => {
      const expected = JSON.parse(readFileSync(new URL(`${name}/expected.json`, fixtures), 'utf8'));
      expect(expected.problems).toEqual([]);
      expect(expected.hooks.length).toBeGreaterThan(0);
    },
  );

  test('await is false for shell and webhook, true for spawn, and an explicit value counts', () => {
    const waits = (entry: string) => hookOf(entry).wait;
    expect(waits('type: shell, command: x')).toBe(false);
    expect(waits('type: webhook, url: "${X}"')).toBe(false);
    expect(waits('type: spawn, pipeline: x')).toBe(true);
    expect(waits('type: shell, command: x, await: true')).toBe(true);
    expect(waits('type: spawn, pipeline: x, await: false')).toBe(false);
  });

  test('retries: 2 is up to 3 runs, and only with on_failure: retry', () => {
    expect(hookOf('type: shell, command: x, on_failure: retry, retries: 2').retry).toEqual({
      attempts: 3,
      delayMs: 5000,
    });
    expect(hookOf('type: shell, command: x, on_failure: retry').retry?.attempts).toBe(4);
    expect(hookOf('type: spawn, pipeline: x, on_failure: retry').retry?.attempts).toBe(1);
    expect(hookOf('type: shell, command: x').retry).toBeUndefined();
  });

  test('the retries of a webhook belong to sending', () => {
    const webhook = hookOf('type: webhook, url: "${X}", retries: 7, on_failure: retry');
    expect(webhook.retry).toBeUndefined();
    expect(webhook.action).toMatchObject({ retries: 7 });
  });

  test('commands run in bash, where a bare ${NAME} is one word and $NAME is as many as it holds', () => {
    const command = 'echo ${ERROR} $ERROR ${HOME}';
    expect(hookOf(`type: shell, command: "${command}"`).action).toMatchObject({
      command,
      run: { via: 'bash', script: 'echo "${ERROR}" $ERROR ${HOME}' },
      cwd: 'root',
    });
  });

  test('a value that would be read as code is an error; a number or an id is looked at when the hook runs', () => {
    const script = 'sh -c "seq ${ITERATION}; echo ${SESSION}"';
    const read = (command: string) =>
      normaliseText(pipelines, JSON.stringify({ hooks: { on_error: [{ type: 'shell', command }] } }));
    expect(read(script).hooks[0]?.action).toMatchObject({ run: { script, plain: { ITERATION: 'id', SESSION: 'id' } } });
    expect(read('sh -c "echo ${ERROR}"')).toMatchObject({
      hooks: [],
      problems: [
        { severity: 'error', message: expect.stringContaining('${ERROR} is or becomes program text for `sh`') },
      ],
    });
  });

  test('prompt and agent ask a model, and retries that never succeed may abort', () => {
    expect(hookOf('type: prompt, prompt: "Is it done?"')).toMatchObject({ wait: true, action: { kind: 'prompt' } });
    expect(hookOf('type: agent, prompt: "Is it done?", on_failure: retry, then: abort')).toMatchObject({
      action: { kind: 'agent' },
      onFailure: 'abort',
      retry: { attempts: 4 },
    });
  });
});

describe('agent-pipelines: what an outcome decides', () => {
  test('on_failure: retry that never succeeds ends as continue', () => {
    expect(decisionOf('type: shell, command: x, await: true, on_failure: retry', exited(1))).toBe('proceed');
  });

  test('an awaited timeout is a failure', () => {
    const timedOut: ActionOutcome = { kind: 'timed-out', afterMs: 5, ...output };
    expect(decisionOf('type: shell, command: x, await: true, on_failure: abort', timedOut)).toBe('abort');
    expect(decisionOf('type: shell, command: x, await: true', timedOut)).toBe('proceed');
    expect(decisionOf('type: webhook, url: "${X}", await: true', timedOut)).toBe('abort');
    expect(decisionOf('type: webhook, url: "${X}", await: true, on_timeout: continue', timedOut)).toBe('proceed');
  });

  test('an exit code other than 0 aborts only where the file says so', () => {
    expect(decisionOf('type: shell, command: x, await: true, on_failure: abort', exited(1))).toBe('abort');
    expect(decisionOf('type: shell, command: x, await: true, on_failure: abort', exited(0))).toBe('proceed');
    expect(decisionOf('type: shell, command: x, await: true', exited(1))).toBe('proceed');
  });

  test.each(['approve', 'approved', 'continue', 'ok', 'yes', ' Approve '])('the answer %j goes on', word => {
    expect(decisionOf('type: webhook, url: "${X}", await: true', answer(word))).toBe('proceed');
    expect(verdictOf('type: webhook, url: "${X}", await: true', answer(word)).kind).toBe('passed');
  });

  test.each([
    ...['reject', 'rejected', 'abort', 'deny', 'denied', 'decline', 'stop', 'cancel', 'no', ' Reject '],
    ...['maybe', '', 'nein', 'rejct'],
  ])('the answer %j aborts the session', word => {
    expect(decisionOf('type: webhook, url: "${X}", await: true', answer(word))).toBe('abort');
    expect(decisionOf('type: webhook, url: "${X}", await: true, on_failure: continue', answer(word))).toBe('abort');
  });

  test('the reason of a refusal holds the message of the person', () => {
    expect(verdictOf('type: webhook, url: "${X}", await: true', answer('reject', 'not yet'))).toEqual({
      kind: 'stopped',
      reason: 'webhook ${X}: answered reject: not yet',
    });
  });

  test('after on_reject: continue the session goes on and the action counts as failed', () => {
    const entry = 'type: webhook, url: "${X}", await: true, on_reject: continue';
    expect(decisionOf(entry, answer('reject'))).toBe('proceed');
    expect(verdictOf(entry, answer('reject')).kind).toBe('failed');
  });

  test.each<ActionOutcome>([
    { kind: 'replied', status: 404, body: '' },
    { kind: 'not-started', reason: 'no such host' },
  ])('an awaited webhook that cannot be sent ($kind) aborts unless the file says on_failure: continue', unsent => {
    expect(decisionOf('type: webhook, url: "${X}", await: true', unsent)).toBe('abort');
    expect(decisionOf('type: webhook, url: "${X}", await: true, on_failure: retry', unsent)).toBe('abort');
    expect(decisionOf('type: webhook, url: "${X}", await: true, on_reject: continue', unsent)).toBe('abort');
    expect(decisionOf('type: webhook, url: "${X}", await: true, on_failure: continue', unsent)).toBe('proceed');
    expect(
      decisionOf('type: webhook, url: "${X}", await: true, on_failure: continue, on_reject: continue', unsent),
    ).toBe('proceed');
  });

  test('a webhook no one waits for and a child pipeline are judged by their result', () => {
    const notice = 'type: webhook, url: "${X}"';
    expect(verdictOf(notice, { kind: 'replied', status: 204, body: '' }).kind).toBe('passed');
    expect(verdictOf(notice, { kind: 'replied', status: 302, body: '' }).kind).toBe('failed');
    const child = 'type: spawn, pipeline: x, on_failure: abort';
    expect(decisionOf(child, { kind: 'child-finished', succeeded: true, output: '' })).toBe('proceed');
    expect(decisionOf(child, { kind: 'child-finished', succeeded: false, output: '' })).toBe('abort');
  });
});

describe('agent-pipelines: what a hook sees', () => {
  const full: HookEvent = {
    name: 'iteration.completed',
    session: 's',
    at: '2026-01-01T00:00:00.000Z',
    stage: 'work',
    nextStage: 'deploy',
    iteration: 3,
    maxIterations: 9,
    lastDecision: 'continue',
    progress: '/p/progress.md',
    statusFile: '/p/status.json',
    contextFile: '/p/context.json',
    changedFiles: ['a.ts', 'b c.ts'],
    stageOutputs: ['/p/1.md', '/p/2.md'],
    error: 'boom',
  };
  const carried = { lastHookStatus: 'failed', hookResponse: '{"action":"ok"}', spawnOutput: 'done' } as const;
  const seen = (shown: HookEvent) =>
    pipelines.present(shown, hookOf('type: shell, command: x'), { places: somewhere, carried, env: {} });

  test('every variable of the specification, lists one a line', () => {
    expect(seen(full)).toEqual({
      env: {
        SESSION: 's',
        STAGE: 'work',
        NEXT_STAGE: 'deploy',
        ITERATION: '3',
        MAX_ITERATIONS: '9',
        PROGRESS: '/p/progress.md',
        STATUS: '/p/status.json',
        CTX: '/p/context.json',
        LAST_DECISION: 'continue',
        LAST_HOOK_STATUS: 'failed',
        CHANGED_FILES: 'a.ts\nb c.ts',
        STAGE_OUTPUTS: '/p/1.md\n/p/2.md',
        ERROR: 'boom',
        TIMESTAMP: '2026-01-01T00:00:00.000Z',
        HOOK_RESPONSE: '{"action":"ok"}',
        SPAWN_OUTPUT: 'done',
        HOOK_EVENT: 'iteration.completed',
        HOOK_SESSION: 's',
        HOOK_ITERATION: '3',
        HOOK_TASK_ID: '',
        HOOK_TASK_CONTENT: '',
        HOOK_ERROR: 'boom',
        HOOK_FILE: '',
      },
    });
  });

  test('what the event does not have is empty, and there is no CALLBACK_URL without a callback', () => {
    const { env } = seen({ name: 'session.starting' });
    expect(env).toMatchObject({ STAGE: '', ITERATION: '', CHANGED_FILES: '', TIMESTAMP: '' });
    expect(env).not.toHaveProperty('CALLBACK_URL');
  });
});

const exited = (exitCode: number): ActionOutcome => ({ kind: 'exited', exitCode, ...output });
const verdictOf = (entry: string, outcome: ActionOutcome) => pipelines.interpret(outcome, hookOf(entry), event).verdict;
const decisionOf = (entry: string, outcome: ActionOutcome) =>
  decide(verdictOf(entry, outcome), outcome, hookOf(entry)).kind;

function hookOf(entry: string): HookDefinition {
  const location = pipelines.locations[0]!;
  const text = `hooks: { on_stage_complete: [ { ${entry} } ] }`;
  const { hooks } = pipelines.normalise(
    [{ kind: 'text', location, path: '/h/hooks.yaml', file: '/h/hooks.yaml', text }],
    somewhere,
  );
  return hooks[0]!;
}
