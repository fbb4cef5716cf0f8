import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import { mayRunAll } from '../hooks/trust/may-run.ts';
import type { EventResult, HookDefinition, HookEvent } from '../model/index.ts';
import type { Payload } from './host.ts';
import type { AgentName } from './index.ts';
import { type HostPlan, type HostPorts, ownLimitMs, respond } from './respond.ts';
import { fileClaims } from './sessions/claims.ts';

const folder = temporaryFolder('respond');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hookFor = (event: HookEvent['name'], id = `nyzhi:f#${event}[0]`): HookDefinition => ({
  id,
  event,
  spelling: 'x',
  name: 'x',
  place: { label: 'x', from: 'f' },
  match: {},
  action: { kind: 'shell', command: 'x', run: { via: 'sh', script: 'x' }, cwd: 'root' },
  wait: true,
  timeoutMs: null,
  onFailure: 'block',
  onTimeout: 'block',
  feedback: 'none',
  source: { dialect: 'nyzhi', scope: 'project', file: 'f', line: 1 },
});

interface Setup {
  hooks: readonly HookDefinition[];
  decide?: (event: HookEvent, signal: AbortSignal) => Promise<EventResult['decision']> | EventResult['decision'];
  mayRun?: HostPlan['mayRun'];
  ports?: Partial<HostPorts>;
}

/** An engine of one line: what it is asked, and what it decides. */
function setUp({ hooks, decide = () => ({ kind: 'proceed' }), mayRun = mayRunAll, ports }: Setup) {
  const fired: string[] = [];
  const warned: string[] = [];
  const all: HostPorts = {
    plan: async () => ({
      ...{ hooks, problems: [], mayRun },
      async fire(event, allowed, signal) {
        fired.push(...allowed.map(hook => `${event.name} ${hook.id}`));
        return { event: event.name, decision: await decide(event, signal), feedback: '', results: [] };
      },
      asking: () => ({ root: '/r', process: '7@1' }),
    }),
    warn: line => warned.push(line),
    log: () => {},
    memory: undefined,
    claims: undefined,
    now: () => '2026-11-15T18:00:00.000Z',
    ...ports,
  };
  const call = (agent: AgentName, event: string, payload: Payload) =>
    respond({ agent, event, input: JSON.stringify(payload), env: {}, cwd: '/p' }, all);
  return { fired, warned, call, all };
}

describe('a call of an agent', () => {
  test('that commits or makes a branch asks hooks of that too, and a refusal of theirs refuses the call', async () => {
    const { fired, call } = setUp({
      hooks: [hookFor('tool.calling'), hookFor('branch.creating'), hookFor('commit.creating')],
      decide: event =>
        event.name === 'commit.creating' ? { kind: 'block', reason: 'no commits', by: 'x' } : { kind: 'proceed' },
    });
    const shell = (command: string) => call('claude', 'PreToolUse', { tool_name: 'Bash', tool_input: { command } });
    expect((await shell('git switch -c x')).stdout).toBe('');
    expect((await shell('cd y && git commit -m x')).stdout).toContain('no commits');
    expect(fired.map(line => line.split(' ')[0])).toEqual([
      ...['tool.calling', 'branch.creating'],
      ...['tool.calling', 'commit.creating'],
    ]);
  });

  test.each([
    ['claude', 'PreToolUse', { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'b' } } }],
    [
      ...(['codex', 'PreToolUse'] as const),
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'allow',
          updatedInput: { command: 'b' },
        },
      },
    ],
    ['qwen', 'PreToolUse', { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'b' } } }],
    ['gemini', 'BeforeTool', { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: { command: 'b' } } }],
    ['cursor', 'preToolUse', { permission: 'allow', updated_input: { command: 'b' } }],
    ['copilot', 'preToolUse', { modifiedArgs: { command: 'b' } }],
    ['opencode', 'tool.execute.before', { args: { command: 'b' } }],
  ] as const)('whose input a hook has changed tells %s so in its own words', async (agent, event, expected) => {
    const { call } = setUp({
      hooks: [hookFor('tool.calling')],
      decide: () => ({ kind: 'proceed', input: { command: 'b' } }),
    });
    const { stdout } = await call(agent, event, { tool_name: 'Bash', tool_input: { command: 'a' } });
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test('whose input a hook has changed is read again for what it does to the repository', async () => {
    const { call } = setUp({
      hooks: [hookFor('tool.calling'), hookFor('commit.creating')],
      decide: event =>
        event.name === 'commit.creating'
          ? { kind: 'block', reason: 'no commits', by: 'x' }
          : { kind: 'proceed', input: { command: 'git commit' } },
    });
    const { stdout } = await call('claude', 'PreToolUse', { tool_name: 'Bash', tool_input: { command: 'a' } });
    expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: 'no commits',
    });
  });

  test('about a permission is refused with the input that a hook wants instead: only the user says yes', async () => {
    const { call } = setUp({
      hooks: [hookFor('permission.requesting')],
      decide: () => ({ kind: 'proceed', input: { command: 'b' } }),
    });
    const { stdout } = await call('claude', 'PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'a' } });
    expect(JSON.parse(stdout).hookSpecificOutput.decision).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('{"command":"b"}'),
    });
  });

  test('that no one listens to plans nothing further', async () => {
    const { call, fired } = setUp({ hooks: [hookFor('tool.called')] });
    expect(await call('claude', 'PreToolUse', { tool_name: 'Bash' })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(fired).toEqual([]);
  });

  test('whose payload names another event than the entry is the event of the payload', async () => {
    const { call, fired } = setUp({ hooks: [hookFor('turn.ending')] });
    await call('claude', 'PostToolUse', { hook_event_name: 'Stop' });
    expect(fired).toEqual(['turn.ending nyzhi:f#turn.ending[0]']);
  });

  test.each(['Stop', 'PostToolUse', 'SomethingNew', ''])(
    'of an entry that guards, whose payload says that it is %j, is refused: it is impossible to tell what it is',
    async name => {
      const { call, fired } = setUp({ hooks: [hookFor('tool.calling')] });
      const answer = await call('claude', 'PreToolUse', { hook_event_name: name, tool_name: 'Bash' });
      expect(JSON.parse(answer.stdout).hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' });
      expect([answer.stdout.includes('no hook was run: '), fired]).toEqual([true, []]);
    },
  );

  test.each([
    ['claude', 'PreToolUse', 'preToolUse'],
    ['claude', 'UserPromptSubmit', 'beforeSubmitPrompt'],
    ['gemini', 'BeforeTool', 'PreToolUse'],
  ] as const)('of %s %s by an agent that calls the same moment %s is that event', async (agent, event, name) => {
    const { call, fired } = setUp({ hooks: [hookFor('tool.calling'), hookFor('prompt.submitting')] });
    const answer = await call(agent, event, { hook_event_name: name, tool_name: 'Bash', prompt: 'x' });
    expect([answer.stdout, fired.length]).toEqual(['', 1]);
  });

  test.each(['', '{}', '{"tool_name":""}', '{"tool_input":{"command":"git push"}}'])(
    'that is about a tool and names none is refused: %s',
    async input => {
      for (const [agent, event] of [
        ['claude', 'PreToolUse'],
        ['copilot', 'preToolUse'],
        ['gemini', 'BeforeTool'],
      ] as const) {
        const { all } = setUp({ hooks: [hookFor('tool.calling')] });
        const { stdout } = await respond({ agent, event, input, env: {}, cwd: '/p' }, all);
        expect([agent, stdout]).toEqual([agent, expect.stringContaining('no tool is named')]);
      }
    },
  );

  test('that fails inside us refuses a tool and lets a turn end', async () => {
    const plan = async (): Promise<never> => {
      throw new Error('disk on fire');
    };
    const { call, warned } = setUp({ hooks: [], ports: { plan } });
    expect((await call('claude', 'PreToolUse', { tool_name: 'Bash' })).stdout).toContain('disk on fire');
    expect(await call('claude', 'Stop', {})).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(warned.join('\n')).toContain('disk on fire');
  });

  test('after a refused turn end does not tell that the turn has ended', async () => {
    const { call, fired } = setUp({
      hooks: [hookFor('turn.ending'), hookFor('turn.ended')],
      decide: () => ({ kind: 'block', reason: 'not yet', by: 'h' }),
    });
    expect(JSON.parse((await call('claude', 'Stop', {})).stdout)).toEqual({ decision: 'block', reason: 'not yet' });
    expect(fired).toEqual(['turn.ending nyzhi:f#turn.ending[0]']);
  });

  test('runs no hook that may not run, and refuses where trust says so', async () => {
    const { call, fired, warned } = setUp({
      hooks: [hookFor('tool.calling'), hookFor('tool.called')],
      mayRun: event =>
        event.name === 'tool.calling'
          ? { hooks: [], refusal: 'run hookloop trust first' }
          : { hooks: [], note: '1 hook was left out' },
    });
    expect((await call('claude', 'PreToolUse', { tool_name: 'Bash' })).stdout).toContain('run hookloop trust first');
    expect((await call('claude', 'PostToolUse', { tool_name: 'Bash' })).stdout).toBe('');
    expect({ fired, warned }).toEqual({ fired: [], warned: ['1 hook was left out'] });
  });

  test('whose hooks hang is refused before the agent loses patience', async () => {
    vi.useFakeTimers();
    try {
      const { call } = setUp({
        hooks: [hookFor('tool.calling')],
        decide: (_event, signal) =>
          new Promise(resolve => signal.addEventListener('abort', () => resolve({ kind: 'proceed' }))),
      });
      const answer = call('claude', 'PreToolUse', { tool_name: 'Bash' });
      await vi.advanceTimersByTimeAsync(ownLimitMs(600_000));
      expect((await answer).stdout).toContain('did not answer within 590 s');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('one event that two entries call us for', () => {
  const shared = { session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' } };

  test('runs the hooks once and is refused twice', async () => {
    const { call, fired } = setUp({
      hooks: [hookFor('tool.calling')],
      decide: () => ({ kind: 'block', reason: 'no', by: 'h' }),
      ports: { claims: fileClaims(`${folder}/twice`) },
    });
    const answers = [
      await call('claude', 'PreToolUse', { ...shared, tool_use_id: 't1' }),
      await call('copilot', 'preToolUse', {
        ...{ sessionId: 's', toolName: 'bash', toolArgs: { command: 'ls' }, toolUseId: 't1' },
      }),
    ];
    expect(fired).toHaveLength(1);
    for (const { stdout } of answers) expect(stdout).toContain('deny');
  });

  test('is known by session, tool and input where it has no id', async () => {
    const { call, fired } = setUp({
      hooks: [hookFor('tool.called')],
      ports: { claims: fileClaims(`${folder}/no-id`) },
    });
    await call('claude', 'PostToolUse', shared);
    await call('copilot', 'postToolUse', { sessionId: 's', toolName: 'bash', toolArgs: { command: 'ls' } });
    expect(fired).toHaveLength(1);
    await call('copilot', 'postToolUse', { sessionId: 's', toolName: 'bash', toolArgs: { command: 'ls -l' } });
    expect(fired).toHaveLength(2);
  });

  test('runs in the second call what the first one left to its agent', async () => {
    const leftToClaude = { ...hookFor('tool.called', 'claude:f#PostToolUse[0]'), match: { notAgent: 'claude' } };
    const { call, fired } = setUp({
      hooks: [hookFor('tool.called'), leftToClaude],
      ports: { claims: fileClaims(`${folder}/left`) },
    });
    await call('claude', 'PostToolUse', { ...shared, tool_use_id: 't1' });
    await call('codex', 'PostToolUse', { ...shared, tool_use_id: 't1' });
    expect(fired).toEqual(['tool.called nyzhi:f#tool.called[0]', 'tool.called claude:f#PostToolUse[0]']);
  });

  test('is a new one when the same entry calls again: a denied command that is tried again is denied again', async () => {
    const { call, fired } = setUp({
      hooks: [hookFor('tool.calling')],
      decide: () => ({ kind: 'block', reason: 'no', by: 'h' }),
      ports: { claims: fileClaims(`${folder}/again`) },
    });
    const payload = { session_id: 's', tool_name: 'run_shell_command', tool_input: { command: 'rm x' } };
    for (let at = 0; at < 2; at += 1) expect((await call('gemini', 'BeforeTool', payload)).stdout).toContain('deny');
    expect(fired).toHaveLength(2);
  });

  test('is one for each file of a patch', async () => {
    const { call, fired } = setUp({
      hooks: [hookFor('file.edited')],
      ports: { claims: fileClaims(`${folder}/patch`) },
    });
    const patch = '*** Begin Patch\n*** Add File: a\n*** Add File: b\n*** End Patch';
    const payload = { session_id: 's', tool_name: 'apply_patch', tool_input: { command: patch }, tool_use_id: 'c' };
    await call('codex', 'PostToolUse', payload);
    await call('codex', 'PostToolUse', payload);
    expect(fired).toHaveLength(2);
  });
});
