import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import type { EventResult, HookDefinition, HookEvent } from '../model/index.ts';
import type { Payload } from './host.ts';
import { mayRunAll } from './may-run.ts';
import { fileClaims } from './memory/claim-store.ts';
import type { HostPorts } from './ports.ts';
import { ownLimitMs, respond } from './respond.ts';

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
  ports?: Partial<HostPorts>;
}

/** An engine of one line: what it is asked, and what it decides. */
function setUp({ hooks, decide = () => ({ kind: 'proceed' }), ports }: Setup) {
  const fired: string[] = [];
  const warned: string[] = [];
  const all: HostPorts = {
    plan: async () => ({ hooks, problems: [] }),
    fire: async (event, allowed, signal) => {
      fired.push(...allowed.map(hook => `${event.name} ${hook.id}`));
      return { event: event.name, decision: await decide(event, signal), feedback: '', results: [] };
    },
    mayRun: mayRunAll,
    warn: line => warned.push(line),
    log: () => {},
    memory: undefined,
    claims: undefined,
    now: () => '2026-11-15T18:00:00.000Z',
    ...ports,
  };
  const call = (agent: 'claude' | 'copilot' | 'gemini' | 'codex', event: string, payload: Payload) =>
    respond({ agent, event, input: JSON.stringify(payload), env: {}, cwd: '/p' }, all);
  return { fired, warned, call };
}

describe('a call of an agent', () => {
  test('that nobody listens to plans nothing further', async () => {
    const { call, fired } = setUp({ hooks: [hookFor('tool.called')] });
    expect(await call('claude', 'PreToolUse', { tool_name: 'Bash' })).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(fired).toEqual([]);
  });

  test('whose payload names another event than the entry is the event of the payload', async () => {
    const { call, fired } = setUp({ hooks: [hookFor('turn.ending')] });
    await call('claude', 'PreToolUse', { hook_event_name: 'Stop' });
    expect(fired).toEqual(['turn.ending nyzhi:f#turn.ending[0]']);
  });

  test('that fails inside of us refuses a tool and lets a turn end', async () => {
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
      ports: {
        mayRun: event =>
          event.name === 'tool.calling'
            ? { hooks: [], refusal: 'run hookloop trust first' }
            : { hooks: [], note: '1 hook was left out' },
      },
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
    const answers = await Promise.all([
      call('claude', 'PreToolUse', { ...shared, tool_use_id: 't1' }),
      call('copilot', 'preToolUse', { sessionId: 's', toolName: 'bash', toolArgs: { command: 'ls' }, toolUseId: 't1' }),
    ]);
    expect(fired).toHaveLength(1);
    for (const { stdout } of answers) expect(stdout).toContain('deny');
  });

  test('is known by session, tool and input where it has no id', async () => {
    const { call, fired } = setUp({
      hooks: [hookFor('tool.calling')],
      ports: { claims: fileClaims(`${folder}/no-id`) },
    });
    await call('claude', 'PreToolUse', shared);
    await call('copilot', 'preToolUse', { sessionId: 's', toolName: 'bash', toolArgs: { command: 'ls' } });
    expect(fired).toHaveLength(1);
    await call('copilot', 'preToolUse', { sessionId: 's', toolName: 'bash', toolArgs: { command: 'ls -l' } });
    expect(fired).toHaveLength(2);
  });

  test('runs in the second call what the first one left to its agent', async () => {
    const leftToClaude = { ...hookFor('tool.calling', 'claude:f#PreToolUse[0]'), match: { notAgent: 'claude' } };
    const { call, fired } = setUp({
      hooks: [hookFor('tool.calling'), leftToClaude],
      ports: { claims: fileClaims(`${folder}/left`) },
    });
    await call('claude', 'PreToolUse', { ...shared, tool_use_id: 't1' });
    await call('codex', 'PreToolUse', { ...shared, tool_use_id: 't1' });
    expect(fired).toEqual(['tool.calling nyzhi:f#tool.calling[0]', 'tool.calling claude:f#PreToolUse[0]']);
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
