import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { somewhere, testDialect } from '../../../test/contracts/dialect.ts';
import { createEngineProject } from '../../../test/engine-project.ts';
import type { ActionOutcome, Found, HookDefinition, HookEvent, PresentContext, Script } from '../../model/index.ts';
import { babysitter } from '../index.ts';

testDialect(babysitter, new URL('./fixtures/', import.meta.url));
const project = createEngineProject();

describe('babysitter shows its scripts', () => {
  test('the payload and a newline on stdin, and the same payload in HOOK_PAYLOAD', () => {
    const { stdin, env } = show({ name: 'session.completed', session: 'run-1', at: '2026-01-25T14:30:12.123Z' });
    expect(stdin).toBe('{"runId":"run-1","timestamp":"2026-01-25T14:30:12.123Z","status":"completed"}\n');
    expect(env['HOOK_PAYLOAD']).toBe(stdin?.trimEnd());
  });

  test.each<[string, HookEvent, Record<string, unknown>]>([
    ['on-iteration-start', { name: 'iteration.starting', iteration: 3 }, { iteration: 3 }],
    ['on-iteration-end', { name: 'iteration.completed', iteration: 3 }, { iteration: 3, status: 'completed' }],
    ['on-iteration-end', { name: 'iteration.failed', error: 'x' }, { error: 'x', status: 'failed' }],
    [
      'on-task-start',
      { name: 'task.starting', taskId: 'build', content: 'Build project', extra: { effectId: 'e-1', kind: 'node' } },
      { effectId: 'e-1', taskId: 'build', kind: 'node', label: 'Build project' },
    ],
    [
      'on-breakpoint',
      { name: 'approval.requested', question: 'Approve?', title: 'Deploy', context: { files: [{ path: 'a.md' }] } },
      { question: 'Approve?', title: 'Deploy', context: { runId: 'run-1', files: [{ path: 'a.md' }] } },
    ],
    [
      'on-breakpoint',
      { name: 'approval.requested', context: { runId: 'another', files: [] } },
      { context: { runId: 'another', files: [] } },
    ],
    ['on-breakpoint', { name: 'approval.requested', context: 'a text' }, { context: 'a text' }],
    ['on-run-complete', { name: 'session.completed', duration: 45000 }, { status: 'completed', duration: 45000 }],
    ['on-run-fail', { name: 'session.failed', status: 'stuck' }, { status: 'stuck' }],
    [
      'on-score',
      { name: 'score.recorded', score: 85, target: 90, iteration: 2 },
      { score: 85, target: 90, iteration: 2 },
    ],
    ['on-task-complete', { name: 'task.completed', extra: { status: 'ok', value: [1] } }, { status: 'ok', value: [1] }],
  ])('%s the fields of the seed', (type, event, expected) => {
    const { stdin } = show({ session: 'run-1', ...event }, hookOf(type));
    expect(JSON.parse(stdin ?? '')).toEqual({ runId: 'run-1', ...expected });
  });

  test("Claude's field names where the type is Claude's", () => {
    const event: HookEvent = {
      name: 'tool.called',
      session: 's',
      cwd: '/w',
      tool: 'Bash',
      input: { command: 'ls' },
      output: 'ok',
      toolCallId: 't1',
      extra: { permission_mode: 'plan' },
    };
    expect(JSON.parse(show(event, hookOf('PostToolUse')).stdin ?? '')).toEqual({
      session_id: 's',
      cwd: '/w',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_response: 'ok',
      tool_use_id: 't1',
      permission_mode: 'plan',
    });
  });

  test('their type, the repository and what Claude Code handed to us', () => {
    const env = { CLAUDE_SESSION_ID: 'c-1', CLAUDE_PLUGIN_ROOT: '/plugin', CLAUDE_ENV_FILE: '/env' };
    expect(show({ name: 'session.completed', session: 'run-1' }, hookOf('on-run-complete'), env).env).toMatchObject({
      HOOK_TYPE: 'on-run-complete',
      HOOK_EVENT: 'session.completed',
      REPO_ROOT: '/repo',
      ...env,
    });
  });

  test('the session as CLAUDE_SESSION_ID where Claude Code gave none', () => {
    const { env } = show({ name: 'session.completed', session: 'run-1' });
    expect(env).toMatchObject({ CLAUDE_SESSION_ID: 'run-1' });
  });

  test('every variable, empty where no one gave it, since the scripts begin with set -u', () => {
    expect(show({ name: 'session.completed' }).env).toMatchObject({
      CLAUDE_SESSION_ID: '',
      CLAUDE_PLUGIN_ROOT: '',
      CLAUDE_ENV_FILE: '',
    });
  });

  test("a plugin's script the folder of its own plugin", () => {
    const [hook] = normalise(script({}), 'plugin').hooks;
    const { env } = show({ name: 'session.completed' }, hook, { CLAUDE_PLUGIN_ROOT: '/another' });
    expect(env['CLAUDE_PLUGIN_ROOT']).toBe('/p');
  });

  test('and hands their stderr on with their name in front, without control characters', () => {
    expect(show({ name: 'session.completed' }).relayStderr).toBe('[notify.sh] ');
    const [hook] = normalise(script({ name: 'a\u001b[31m\n.sh' })).hooks;
    expect(show({ name: 'session.completed' }, hook).relayStderr).toBe('[a?[31m?.sh] ');
  });
});

const hasJq = spawnSync('jq', ['--version']).status === 0;

describe.skipIf(!hasJq)("the seed's scripts, which need jq,", () => {
  const seed = (path: string) =>
    fileURLToPath(new URL(`./fixtures/seed-examples/project/.a5c/hooks/${path}`, import.meta.url));
  const run = (path: string, event: HookEvent, home: string) => {
    const { env, stdin } = show(event, hookOf(path.split('/')[0]!));
    const options = { input: stdin, env: { PATH: process.env['PATH'], HOME: home, ...env }, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(seed(path), options);
    return answer(stdout, status ?? -1).verdict.kind === 'passed' ? stderr : `failed: ${stderr}`;
  };

  test('get what they look for', () => {
    const home = mkdtempSync(join(tmpdir(), 'hookloop-seed-'));
    const scored: HookEvent = { name: 'score.recorded', session: 'run-1', score: 85, target: 90, iteration: 2 };
    const completed: HookEvent = { name: 'session.completed', session: 'run-1', duration: 45000 };
    expect(run('on-run-complete/slack-notify.sh', completed, home)).toBe('');
    expect(run('on-run-complete/my-hook.sh', completed, home)).toBe('[my-hook] Processing run: run-1\n');
    expect(run('on-score/metrics-collector.sh', scored, home)).toContain('Recorded score 85/90 for iteration 2');
    const [line = ''] = readFileSync(join(home, '.babysitter', 'metrics.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(line)).toMatchObject({ runId: 'run-1', score: 85, target: 90, iteration: 2, gap: 5 });
    rmSync(home, { recursive: true });
  });
});

describe('babysitter understands', () => {
  test.each(['', ' \n', '{"ok": true}', '{}', '{"decision": "approve"}', '{"decision": "allow", "reason": "x"}'])(
    'exit code 0 with %j as success',
    stdout => expect(answer(stdout).verdict).toEqual({ kind: 'passed' }),
  );

  test('the JSON object a script printed', () => {
    expect(answer('{"ok": true, "action": "processed"}\n').answer).toEqual({ ok: true, action: 'processed' });
  });

  test.each(['Processing...\n{"ok": true}', '[1]', 'null', '"x"', '{"ok": true', '{} {}'])(
    'other stdout %j as success with a warning',
    stdout => expect(answer(stdout)).toEqual({ verdict: { kind: 'passed' }, warning: 'stdout is not a JSON object' }),
  );

  test.each([
    ['{"decision": "block", "reason": "go on", "systemMessage": "m"}', 'rejected', 'go on'],
    ['{"decision": "deny", "reason": "no"}', 'rejected', 'no'],
    ['{"permissionDecision": "deny", "permissionDecisionReason": "no"}', 'rejected', 'no'],
    ['{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}', 'rejected', 'no'],
    ['{"hookSpecificOutput": {"permissionDecision": "ask"}, "reason": "sure?"}', 'asked', 'sure?'],
    ['{"continue": false, "stopReason": "enough"}', 'stopped', 'enough'],
    ['{"continue": false, "decision": "allow"}', 'stopped', expect.stringMatching(/^Hook "notify\.sh" .*no\.$/)],
    ['{"decision": "block"}', 'rejected', expect.stringMatching(/^Hook "notify\.sh" .*no\.\n\$ /)],
  ])('%s as %s', (stdout, kind, reason) => expect(answer(stdout).verdict).toEqual({ kind, reason }));

  test('the strictest of several decisions in one answer', () => {
    const stdout = '{"decision": "block", "reason": "b", "hookSpecificOutput": {"permissionDecision": "allow"}}';
    expect(answer(stdout).verdict).toEqual({ kind: 'rejected', reason: 'b' });
  });

  test('an unknown decision as none, with a warning', () => {
    expect(answer('{"decision": "blok"}')).toMatchObject({
      verdict: { kind: 'passed' },
      warning: 'unknown decision "blok": write "block", "deny", "ask" or "allow"',
    });
  });

  test('only additionalContext as text for the agent', () => {
    expect(answer('{"additionalContext": "read this"}').feedback).toBe('read this');
    expect(answer('{"hookSpecificOutput": {"additionalContext": "and this"}}').feedback).toBe('and this');
    expect(answer('{"ok": true, "message": "sent"}')).not.toHaveProperty('feedback');
  });

  test.each([1, 2, 126, 127])('exit code %i as a failure, whatever the script printed', exitCode => {
    expect(answer('{"decision": "block", "reason": "no"}', exitCode)).toEqual({
      verdict: { kind: 'failed', reason: `notify.sh: exit code ${exitCode}` },
    });
  });

  test.each(['Stop', 'PreToolUse', 'PostToolUse'])('exit code 2 of a %s script as a refusal', type => {
    const outcome: ActionOutcome = { kind: 'exited', exitCode: 2, stdout: '', stderr: 'not yet\n' };
    expect(babysitter.interpret(outcome, hookOf(type), { name: 'turn.ending' }).verdict).toEqual({
      kind: 'rejected',
      reason: 'not yet',
    });
    expect(answer('{"decision": "block"}', 1, hookOf(type)).verdict.kind).toBe('failed');
  });

  test('exit code 2 of a SessionStart script as a failure, as Claude Code does', () => {
    expect(answer('', 2, hookOf('SessionStart')).verdict.kind).toBe('failed');
  });
});

test('a script that does not say what it is runs under bash', async () => {
  project.write(
    '.a5c/hooks/on-run-start/list.sh',
    'names=(one two)\nprintf "%s" "${names[1]}" > "$REPO_ROOT/log"\n',
    0o755,
  );
  await project.fire({ name: 'session.starting' });
  expect(project.log()).toBe('two');
});

describe('babysitter finds', () => {
  test('scripts that cannot run, and says why in the list and as a warning', () => {
    const { hooks, problems } = normalise(script({ executable: false, broken: 'its name is not UTF-8' }));
    expect(hooks.map(hook => hook.unavailable)).toEqual(['its name is not UTF-8']);
    expect(problems).toMatchObject([
      { severity: 'warning', message: 'notify.sh does not run: its name is not UTF-8', refuses: false },
    ]);
  });

  test('what chmod needs, quoted for the shell', () => {
    const file = ".a5c/hooks/on-run-complete/it's $(x).sh";
    const { hooks } = normalise(script({ executable: false, file }));
    const [, command = ''] = hooks[0]?.unavailable?.split('not executable: chmod +x ') ?? [];
    expect(execFileSync('sh', ['-c', `printf %s ${command}`], { encoding: 'utf8' })).toBe(file);
  });
});

function answer(stdout: string, exitCode = 0, hook = hookOf('on-run-complete')) {
  return babysitter.interpret({ kind: 'exited', exitCode, stdout, stderr: '' }, hook, { name: hook.event });
}

function show(event: HookEvent, hook = hookOf('on-run-complete'), env: PresentContext['env'] = {}) {
  const carried = { lastHookStatus: '', hookResponse: '', spawnOutput: '' } as const;
  return babysitter.present(event, hook, { places: { ...somewhere, repo: '/repo' }, carried, env });
}

function hookOf(type: string): HookDefinition {
  return normalise(script({ type })).hooks[0]!;
}

function script(given: Partial<Script>): Script {
  const { type = 'on-run-complete', name = 'notify.sh' } = given;
  const file = `.a5c/hooks/${type}/${name}`;
  return { type, name, path: `/p/${file}`, file, executable: true, ...given };
}

function normalise(found: Script, scope: 'project' | 'plugin' = 'project') {
  const location = babysitter.locations.find(place => place.scope === scope)!;
  const folder: Found = {
    kind: 'scripts',
    location,
    path: '/p/hooks',
    file: '.a5c/hooks',
    types: [found.type],
    scripts: [found],
  };
  return babysitter.normalise([folder], somewhere);
}
