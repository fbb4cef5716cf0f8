import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { composeEngine } from '../compose.ts';
import { loadHooks } from '../discovery/load.ts';
import type { ActionRunners, EventResult, HookEvent, HookResult } from '../model/index.ts';
import type { Progress } from './run-hook.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hookloop-engine-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let root = base;
beforeEach(() => {
  root = mkdtempSync(join(base, 'p-'));
});

describe('hooks of one event', () => {
  test('run in the order of the file, and a gate that fails ends the gates after it', async () => {
    await write('.sauna/hooks.json', '["echo one >> log", "echo two >> log; exit 3", "echo three >> log"]');
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
      why: 'after revise by sauna:.sauna/hooks.json#gate[1]',
    });
  });

  test('of a dialect that promises to run all of its hooks run after another dialect’s refusal', async () => {
    await write('.sauna/hooks.json', '["exit 1"]');
    await write('.claude/settings.json', claude('TaskCompleted', 'echo ran >> log'));
    expect((await fire({ name: 'task.completing' })).decision.kind).toBe('revise');
    expect(log()).toBe('ran\n');
  });

  test('no longer run once the session is aborted', async () => {
    await write(
      'hookloop.yaml',
      'hooks:\n  task.completing:\n    - { type: shell, command: exit 1, await: true, on_failure: abort }\n',
    );
    await write('.claude/settings.json', claude('TaskCompleted', 'echo ran >> log'));
    expect((await fire({ name: 'task.completing' })).decision.kind).toBe('abort');
    expect(existsSync(join(root, 'log'))).toBe(false);
  });

  test('run side by side where their dialect says so', async () => {
    const meet = (own: string, other: string): string =>
      `touch ${own}; for i in $(seq 200); do [ -e ${other} ] && exit 0; sleep 0.02; done; exit 2`;
    await write('.claude/settings.json', claude('Stop', meet('a', 'b'), meet('b', 'a')));
    expect((await fire({ name: 'turn.ending' })).decision.kind).toBe('proceed');
  });

  test('settle on the strictest decision, with the reasons of equally strict ones joined', async () => {
    const deny = (reason: string): string => `echo '{"decision":"block","reason":"${reason}"}'`;
    await write('.claude/settings.json', claude('Stop', deny('tests fail'), 'exit 0', deny('docs are old')));
    expect((await fire({ name: 'turn.ending' })).decision).toMatchObject({
      kind: 'block',
      reason: 'tests fail\ndocs are old',
    });
  });

  test('come from stage to plugin, and inside a scope from native to Claude-style', async () => {
    await write('.a5c/hooks/on-task-complete/x.sh', '#!/bin/sh\necho babysitter >> log\n', 0o755);
    await write('.iteratr.hooks.yml', 'hooks:\n  on_task_complete:\n    - command: echo iteratr >> log\n');
    await write(
      'hookloop.yaml',
      'hooks:\n  task.completed:\n    - { type: shell, command: echo native >> log, await: true }\n',
    );
    await write(
      'home/.config/hookloop/hooks.yaml',
      'hooks:\n  task.completed:\n    - { type: shell, command: echo user >> log, await: true }\n',
    );
    await fire({ name: 'task.completed' });
    expect(log()).toBe('native\niteratr\nbabysitter\nuser\n');
  });
});

describe('an action', () => {
  test('is retried with its pause until it passes, and the attempts are counted', async () => {
    await write(
      'hookloop.yaml',
      hook(
        'command: echo x >> log; test $(wc -l < log) -ge 3, await: true, on_failure: retry, retries: 5, retry_delay: 0.01',
      ),
    );
    const [result] = (await fire({ name: 'turn.ended' })).results;
    expect(result).toMatchObject({ status: 'finished', attempts: 3, verdict: { kind: 'passed' } });
  });

  test('`retries: 2` is up to three runs, and a retry that never succeeds goes on', async () => {
    await write(
      'hookloop.yaml',
      hook('command: echo x >> log; exit 1, await: true, on_failure: retry, retries: 2, retry_delay: 0'),
    );
    const result = await fire({ name: 'turn.ended' });
    expect([log(), result.decision.kind]).toEqual(['x\nx\nx\n', 'proceed']);
  });

  test('that is not awaited is started and left; its end is told later', async () => {
    await write('hookloop.yaml', hook('command: while [ ! -e go ]; do sleep 0.02; done; echo done >> log'));
    const progress: Progress[] = [];
    const engine = engineHere({ onProgress: step => progress.push(step) });
    expect((await engine.fire({ name: 'turn.ended' })).results).toEqual([
      { status: 'detached', hook: 'native:hookloop.yaml#turn.ended[0]' },
    ]);
    expect(progress.map(({ type }) => type)).toEqual(['started']);
    writeFileSync(join(root, 'go'), '');
    await engine.settle();
    expect([log(), progress.at(-1)?.type]).toEqual(['done\n', 'finished']);
  });

  test('whose kind has no runner yet is reported, and a gate among them refuses', async () => {
    await write(
      'hookloop.yaml',
      'hooks:\n  stage.completed:\n    - { type: webhook, url: "https://example.com/x" }\n    - { type: spawn, pipeline: review, on_failure: abort }\n',
    );
    const result = await fire({ name: 'stage.completed' });
    expect(result.decision).toMatchObject({
      kind: 'abort',
      reason: expect.stringContaining('spawn actions are not available yet'),
    });
  });

  test('may be given a runner of one’s own, whose answers pass to later actions', async () => {
    await write(
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
    await write(
      'hookloop.yaml',
      [
        'hooks:',
        '  turn.ended:',
        '    - { type: shell, command: exit 1, await: true }',
        '    - { type: shell, command: exit 0 }',
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
    await write('hookloop.yaml', hook('command: echo x >> log, await: true, when: "${ITERATION} % 10 == 0"'));
    expect((await fire({ name: 'turn.ended', iteration: 9 })).results[0]).toMatchObject({
      status: 'skipped',
      why: 'when is false: ${ITERATION} % 10 == 0',
    });
    expect((await fire({ name: 'turn.ended', iteration: 20 })).results[0]).toMatchObject({ status: 'finished' });
  });

  test('that cannot be answered never counts as false: the hook fails by its own policy', async () => {
    await write(
      'hookloop.yaml',
      hook('command: echo x >> log, await: true, on_failure: abort, when: "1 % MAX_ITERATIONS == 0"'),
    );
    const result = await fire({ name: 'turn.ended' });
    expect([result.decision.kind, existsSync(join(root, 'log'))]).toEqual(['abort', false]);
  });
});

describe('what leaves the engine', () => {
  test('hides secrets in output, reasons and feedback', async () => {
    await write('.sauna/hooks.json', '["echo token is $API_TOKEN; exit 1"]');
    const { decision, feedback, results } = await engineHere({ env: { API_TOKEN: 's3cr3t-value' } }).fire({
      name: 'task.completing',
    });
    expect(JSON.stringify({ decision, feedback, results })).not.toContain('s3cr3t-value');
    expect(feedback).toContain('token is ***');
  });

  test('is capped at 32 KiB a hook for the agent, with the path of the whole text between head and tail', async () => {
    await write('.sauna/hooks.json', '["seq 1 20000; exit 1"]');
    const { feedback } = await fire({ name: 'task.completing' });
    const path = /all of it is in (\S+)\]/.exec(feedback)?.[1];
    expect(Buffer.byteLength(feedback)).toBeLessThanOrEqual(32 * 1024);
    expect(feedback).toMatch(/^Hook failed: seq 1 20000; exit 1[^]*\n20000$/);
    expect(readFileSync(path!, 'utf8')).toContain('\n10000\n');
  });
});

describe('matching', () => {
  test.each([
    ['git_commit', { tool: 'Bash', input: { command: 'cd x && GIT_DIR=y git -C . commit -m z' } }, true],
    ['git_commit', { tool: 'run_shell_command', input: { command: 'echo "git commit"' } }, false],
    ['git_*', { tool: 'exec_command', input: { cmd: ['bash', '-lc', 'git push'] } }, true],
    ['Bash', { tool: 'run_shell_command', input: {} }, true],
    ['write_file, Edit', { tool: 'apply_patch', input: {} }, true],
    ['Write', { tool: 'Edit', input: {} }, false],
    ['mcp__github__*', { tool: 'mcp_github_create_issue', input: {} }, true],
  ])('tool_name %s on %j: %s', async (wanted, call, runs) => {
    await write(
      '.nyzhi/config.toml',
      `[[agent.hooks]]\nevent = "pre_tool"\ncommand = "true"\ntool_name = "${wanted}"\n`,
    );
    expect((await fire({ name: 'tool.calling', ...call })).results[0]?.status).toBe(runs ? 'finished' : 'skipped');
  });

  test('gates do not run for a planner', async () => {
    await write('.sauna/hooks.json', '["exit 1"]');
    const skipped = { status: 'skipped', why: 'gates do not run for a planner' };
    for (const event of [{ stage: 'plan' }, { role: 'planner' }])
      expect((await fire({ name: 'task.completing', ...event })).results[0]).toMatchObject(skipped);
    expect((await fire({ name: 'task.completing', stage: 'plan', role: 'builder' })).decision.kind).toBe('revise');
  });

  test('Claude-style hooks are left to Claude', async () => {
    await write('.claude/settings.json', claude('Stop', 'exit 2'));
    expect((await fire({ name: 'turn.ending', agent: 'claude' })).results[0]).toMatchObject({ status: 'skipped' });
    expect((await fire({ name: 'turn.ending', agent: 'codex' })).decision.kind).toBe('block');
  });
});

test('cancelling ends the running hook and starts no other', async () => {
  await write('.sauna/hooks.json', '["touch started; sleep 60", "echo next >> log"]');
  const stop = new AbortController();
  const fired = engineHere({ env: { PATH: process.env['PATH']! } }).fire(
    { name: 'task.completing' },
    { signal: stop.signal },
  );
  while (!existsSync(join(root, 'started'))) await new Promise(resolve => setTimeout(resolve, 10));
  stop.abort();
  expect((await fired).results.map(statusOf)).toEqual(['cancelled', 'skipped']);
});

const statusOf = (result: HookResult): string => (result.status === 'finished' ? result.outcome.kind : result.status);
const log = (): string => readFileSync(join(root, 'log'), 'utf8');
const hook = (fields: string): string =>
  `hooks:\n  turn.ended:\n    - { type: shell, ${fields.replace(/command: (.*?), (?=await|when|on_)|command: (.*)$/, (_all, a, b) => `command: ${JSON.stringify(a ?? b)}${a ? ', ' : ''}`)} }\n`;
const claude = (event: string, ...commands: string[]): string =>
  JSON.stringify({ hooks: { [event]: [{ hooks: commands.map(command => ({ type: 'command', command })) }] } });

async function write(path: string, text: string, mode = 0o644): Promise<void> {
  const { mkdirSync } = await import('node:fs');
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text, { mode });
}

function engineHere(
  options: { env?: Record<string, string>; actions?: ActionRunners; onProgress?: (progress: Progress) => void } = {},
) {
  const env = { PATH: process.env['PATH'], HOME: join(root, 'home'), ...options.env };
  const loaded = loadHooks({ cwd: root, env });
  expect(loaded.problems.filter(problem => problem.severity === 'error')).toEqual([]);
  const mask = (text: string): string => text.replaceAll(options.env?.['API_TOKEN'] ?? '\0', '***');
  return composeEngine({ ...options, hooks: loaded.hooks, places: loaded.places, env, mask });
}

const fire = (event: HookEvent): Promise<EventResult> => engineHere().fire(event);
