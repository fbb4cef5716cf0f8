import { describe, expect, test } from 'vitest';
import { somewhere, testDialect } from '../../../test/contracts/dialect.ts';
import { normaliseText } from '../../../test/contracts/found.ts';
import { type ActionOutcome, eventNames, type HookDefinition, type HookEvent } from '../../model/index.ts';
import { native } from '../index.ts';

testDialect(native, new URL('./fixtures/', import.meta.url));

const exited = (exitCode: number, stdout = '', stderr = ''): ActionOutcome => ({
  kind: 'exited',
  exitCode,
  stdout,
  stderr,
});

describe('native: config', () => {
  test('takes every event of ours and the six points of agent-pipelines', () => {
    expect(Object.keys(native.events)).toEqual([
      ...eventNames,
      'on_session_start',
      'on_iteration_start',
      'on_iteration_complete',
      'on_stage_complete',
      'on_session_complete',
      'on_error',
    ]);
  });

  test('disable_global_hooks puts the hooks of the user out in both grammars', () => {
    expect(normalise('disable_global_hooks: true').disables).toEqual([
      { dialects: ['native', 'pipelines'], scopes: ['user'], why: 'disable_global_hooks in hookloop.yaml' },
    ]);
    expect(normalise('disable_global_hooks: false').disables).toEqual([]);
  });

  test.each(['tool: []', 'tool: ","', 'tool: [" , "]', 'files: []', 'files: " ,, "', 'tool: ""'])(
    'a matcher that names nothing is an error, for its gate would never run: %s',
    matcher => {
      const { hooks, problems } = normalise(`hooks: { tool.calling: [ { type: shell, command: x, ${matcher} } ] }`);
      expect(hooks).toEqual([]);
      expect(problems).toMatchObject([
        { severity: 'error', refuses: true, message: expect.stringMatching(/ is empty$/) },
      ]);
    },
  );

  test('a version no one knows is told, and the file is read all the same', () => {
    const { hooks, problems } = normalise('version: 7\nhooks: { turn.ending: [ { type: shell, command: x } ] }');
    expect([
      hooks.length,
      problems.map(({ severity, message, at }) => [severity, message, at.line, at.column]),
    ]).toEqual([1, [['warning', 'version 7 is not known here', 1, 10]]]);
    for (const known of ['1', '1.0', '"1"']) expect(normalise(`version: ${known}`).problems).toEqual([]);
  });

  test.each(['GET', 'post', 'PUT', 'Patch', 'DELETE'])('a webhook may be sent with %s', method => {
    expect(hookOf(`type: webhook, url: "https://example.com", method: ${method}`).action).toMatchObject({
      kind: 'webhook',
      method: method.toUpperCase(),
    });
  });

  test.each(['TRACE', 'CONNECT', 'PSOT', '"PO ST"'])('a webhook is not sent with %s', method => {
    const { problems } = normalise(
      `hooks: { turn.ending: [ { type: webhook, url: "https://example.com", method: ${method} } ] }`,
    );
    expect(problems).toMatchObject(
      [{ severity: 'error', hint: 'write one of GET, POST, PUT, PATCH, DELETE', message: /method for webhooks/ }].map(
        problem => ({ ...problem, message: expect.stringMatching(problem.message) }),
      ),
    );
  });

  test('commands run in sh unless the entry says bash', () => {
    expect(hookOf('type: shell, command: x').action).toMatchObject({ run: { via: 'sh' } });
    expect(hookOf('type: shell, command: x, shell: bash').action).toMatchObject({ run: { via: 'bash' } });
  });

  test('hooks under our own names are waited for unless the file says otherwise', () => {
    for (const event of ['task.completing', 'file.edited'] as const) {
      expect(hookOf('type: shell, command: x', event).wait).toBe(true);
      expect(hookOf('type: webhook, url: "https://example.com"', event).wait).toBe(true);
      expect(hookOf('type: shell, command: x, await: false', event).wait).toBe(false);
    }
  });

  test("agent-pipelines' names keep its defaults; a gate and an output for the agent are waited for", () => {
    const waits = (entry: string): boolean | undefined =>
      normalise(`hooks: { on_iteration_start: [ { ${entry} } ] }`).hooks[0]?.wait;
    expect(waits('type: shell, command: x')).toBe(false);
    expect(waits('type: shell, command: x, block: true')).toBe(true);
    expect(waits('type: shell, command: x, gate: true')).toBe(true);
    expect(waits('type: shell, command: x, feedback: true')).toBe(true);
    expect(waits('type: shell, command: x, feedback: false')).toBe(false);
    expect(waits('type: shell, command: x, block: true, await: false')).toBe(false);
  });

  test('a webhook asks a person only where the file says that an answer is awaited', () => {
    const asks = (entry: string) => hookOf(`type: webhook, url: "https://example.com"${entry}`).action;
    expect(asks('')).toMatchObject({ approval: false });
    expect(asks(', await: true')).toMatchObject({ approval: true });
  });

  test('feedback goes with the next prompt, that of a gate at once', () => {
    expect(hookOf('type: shell, command: x, feedback: true', 'file.edited').feedback).toBe('next-prompt');
    expect(hookOf('type: shell, command: x, feedback: failure', 'file.edited').feedback).toBe('next-prompt');
    expect(hookOf('type: shell, command: x, feedback: always, gate: false').feedback).toBe('next-prompt');
    expect(hookOf('type: shell, command: x, feedback: true').feedback).toBe('now');
    expect(hookOf('type: shell, command: x').feedback).toBe('none');
  });

  test('words of its own answer a question, unless they mean something else everywhere', () => {
    const question = (words: string) =>
      normalise(
        `hooks: { turn.ending: [ { type: webhook, url: "https://example.com", await: true, actions: ${words} } ] }`,
      );
    expect(question('{ ship: approve, hold: reject }').hooks[0]?.action).toMatchObject({
      actions: { ship: 'approve', hold: 'reject' },
    });
    expect(question('{ no: approve }').problems.map(({ message }) => message)).toEqual(['no always means reject']);
    expect(question('{ ship: maybe }').hooks).toEqual([]);
  });

  test.each([
    ['hook: {}', 'unknown key "hook"', 'did you mean hooks?'],
    ['hooks: { tool.caling: [] }', 'unknown event "tool.caling"', 'did you mean tool.calling?'],
    [
      'hooks: { tool.calling: [ { type: shell, command: x, blok: true } ] }',
      'unknown key "blok"',
      'did you mean block?',
    ],
    ['hooks: { tool.called: [ { type: shel, command: x } ] }', /^"shel" is not one of/, 'did you mean shell?'],
    ['tasks: { don: gates }', 'unknown key "don"', 'did you mean done?'],
  ])('%s is an error, and nothing runs before it is fixed', (text, message, hint) => {
    const { hooks, problems } = normalise(text);
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect([hooks, problems]).toMatchObject([[], [{ severity: 'error', message: expected, hint, refuses: true }]]);
  });

  test('yes, on, no and off are true and false where one of them is wanted, with a warning', () => {
    const { hooks, problems } = normalise(
      'hooks: { task.completing: [ { type: shell, command: x, gate: off, name: on } ] }',
    );
    expect(hooks[0]).toMatchObject({ onFailure: 'continue', name: 'on' });
    expect(problems).toMatchObject([
      { severity: 'warning', message: '"off" is a text in YAML 1.2 and is read as false', hint: 'write false' },
    ]);
    expect(normalise('disable_global_hooks: yes').disables).toHaveLength(1);
    expect(normalise('disable_global_hooks: "yes"').problems).toMatchObject([{ severity: 'error' }]);
  });

  test('a matcher of Claude Code stands between slashes', () => {
    const { match } = hookOf('shell: x, tool: "/Edit|mcp__.*,x/"', 'tool.calling');
    expect(match.tool).toEqual({ kind: 'matcher', matcher: 'Edit|mcp__.*,x' });
    expect(normalise('hooks: { tool.calling: [ { shell: x, tool: "/(/" } ] }').problems).toMatchObject([
      { severity: 'error', message: '"(" is not a regular expression' },
    ]);
  });

  test('a comma inside braces belongs to the pattern', () => {
    expect(hookOf('type: shell, command: x, files: "*.{ts,tsx}, src/** ,"', 'file.edited').match.files).toEqual([
      '*.{ts,tsx}',
      'src/**',
    ]);
  });
});

describe('native: a filter that the event cannot satisfy', () => {
  test.each([
    ['tool: Bash', 'turn.ending', 'this event is not about a tool'],
    ['files: "*.ts"', 'turn.ending', 'this event is not about files'],
  ] as const)('%s on %s is an error, since its gate would never run', (filter, event, message) => {
    const { hooks, problems } = normalise(
      `hooks: { ${event}: [ { type: shell, command: x, block: true, ${filter} } ] }`,
    );
    expect([hooks, problems.map(problem => [problem.message, problem.refuses])]).toEqual([[], [[message, true]]]);
  });
});

describe('native: what the agent reads', () => {
  const feedback = (entry: string, outcome: ActionOutcome) =>
    native.interpret(outcome, hookOf(entry), { name: 'task.completing' }).feedback;

  test('the trimmed output, and the command and its exit code when it failed', () => {
    const entry = 'type: shell, command: npm test, name: tests, feedback: true';
    expect(feedback(entry, exited(0, '\n all good \n', ' a warning\n'))).toBe('all good\na warning');
    expect(feedback(entry, exited(3, '1 failed\n', 'boom\n'))).toBe('npm test (exit code 3)\n1 failed\nboom');
    expect(feedback(entry, { kind: 'not-started', reason: 'not found' })).toBe('npm test (could not start: not found)');
  });

  test('with feedback: failure only what a hook that failed has said', () => {
    const entry = 'type: shell, command: lint, feedback: failure';
    expect(feedback(entry, exited(0, 'all good'))).toBeUndefined();
    expect(feedback(entry, exited(1, 'a.ts: bad'))).toBe('lint (exit code 1)\na.ts: bad');
  });

  test('nothing where the hook said nothing or no one asked for it', () => {
    expect(feedback('type: shell, command: x, feedback: true', exited(0, ' \n'))).toBeUndefined();
    expect(feedback('type: shell, command: x, await: true', exited(1, 'text'))).toBeUndefined();
  });
});

describe('native: what a hook sees', () => {
  const event: HookEvent = {
    name: 'tool.calling',
    session: 's',
    at: '2026-01-01T00:00:00.000Z',
    agent: 'claude',
    tool: 'Bash',
    input: { command: 'ls' },
    file: 'a.ts',
    taskId: '7',
    content: 'Write tests',
    message: 'hello',
    extra: { vendor_field: [1, null], event: 'mine' },
  };
  const { env, stdin } = native.present(event, hookOf('type: shell, command: x'), {
    places: somewhere,
    carried: { lastHookStatus: 'success', hookResponse: '', spawnOutput: '' },
    env: {},
  });

  test('the variables of agent-pipelines and its own', () => {
    expect(env).toMatchObject({
      SESSION: 's',
      LAST_HOOK_STATUS: 'success',
      AGENT: 'claude',
      TOOL: 'Bash',
      FILE: 'a.ts',
      TASK_ID: '7',
      TASK_CONTENT: 'Write tests',
      MESSAGE: 'hello',
      HOOK_EVENT: 'tool.calling',
    });
  });

  test('with answers: json the names that scripts for Claude Code and babysitter know, beside ours', () => {
    const told = native.present(event, hookOf('shell: x, answers: json'), {
      places: somewhere,
      carried: { lastHookStatus: '', hookResponse: '', spawnOutput: '' },
      env: {},
    });
    const names = { hook_event_name: 'PreToolUse', tool_name: 'Bash', session_id: 's', runId: 's' };
    expect(JSON.parse(told.stdin!)).toMatchObject({
      ...names,
      event: 'tool.calling',
      tool: 'Bash',
      vendor_field: [1, null],
    });
    expect(JSON.parse(told.env['HOOK_PAYLOAD']!)).toEqual(JSON.parse(told.stdin!));
    expect(told.env).toMatchObject({ REPO_ROOT: '/p', CLAUDE_PROJECT_DIR: '/p', CLAUDE_SESSION_ID: 's' });
  });

  test.each([
    [{ stage: 'plan' }, 'planner'],
    [{ stage: 'plan', role: 'builder' }, 'builder'],
    [{}, 'builder'],
  ])('of %j the role %s', (fields, role) => {
    const shown = native.present({ name: 'task.completing', ...fields }, hookOf('shell: x'), {
      places: somewhere,
      carried: { lastHookStatus: '', hookResponse: '', spawnOutput: '' },
      env: {},
    });
    expect(shown.env['ROLE']).toBe(role);
  });

  test('the event as one line of JSON under our names, unknown fields untouched beside them', () => {
    expect(stdin?.endsWith('}\n')).toBe(true);
    expect(JSON.parse(stdin!)).toEqual({
      event: 'tool.calling',
      session: 's',
      at: '2026-01-01T00:00:00.000Z',
      agent: 'claude',
      tool: 'Bash',
      input: { command: 'ls' },
      file: 'a.ts',
      taskId: '7',
      content: 'Write tests',
      message: 'hello',
      vendor_field: [1, null],
    });
  });
});

const hookOf = (entry: string, event: HookEvent['name'] = 'task.completing'): HookDefinition =>
  normalise(`hooks: { ${event}: [ { ${entry} } ] }`).hooks[0]!;

function normalise(text: string) {
  return normaliseText(native, text);
}
