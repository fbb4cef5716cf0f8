import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleHostProgram, trust } from '../../test/host-program.ts';
import { createWorld, temporaryFolder, type World } from '../../test/program.ts';
import { claudeCall, shellCalls } from './fixtures/shell-calls.ts';
import type { Payload } from './host.ts';
import { type AgentName, agentNames } from './index.ts';

const folder = temporaryFolder('hosts');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hooks = `
[[agent.hooks]]
event = "pre_tool"
tool_name = "git_push"
command = "echo no pushing >&2; exit 1"
block = true

[[agent.hooks]]
event = "after_edit"
pattern = "*.ts"
command = "echo formatted {file} >> edits"

[[agent.hooks]]
event = "post_tool"
tool_name = "Bash"
command = "echo seen"
`;

function worldWith(config = hooks): World {
  const world = untrustedWorld(config);
  trust(world);
  return world;
}

function untrustedWorld(config = hooks): World {
  const world = createWorld(folder, program);
  world.write('.nyzhi/config.toml', config);
  return world;
}

const call = (world: World, agent: AgentName, event: string, payload: Payload | string, env = {}) =>
  world.run(['hook', agent, event], { input: typeof payload === 'string' ? payload : JSON.stringify(payload), env });

describe.each(agentNames)('hookloop hook %s', agent => {
  const { event, payload, denial, proceed } = shellCalls[agent];

  test('refuses what a hook refuses, in the words of the agent', () => {
    const world = worldWith();
    const ran = call(world, agent, event, payload('cd x && git push', world.project));
    expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toEqual({ exit: 0, stdout: denial, stderr: '' });
  });

  test('has nothing to say about the rest', () => {
    const world = worldWith();
    expect(call(world, agent, event, payload('git status', world.project))).toEqual({
      exit: 0,
      stdout: proceed,
      stderr: '',
    });
  });

  test('refuses when a file that may hold a gate is broken', () => {
    const world = untrustedWorld('[[agent.hooks]]\nevent = "pre_tool"\nblock = tru\n');
    const ran = call(world, agent, event, payload('git status', world.project));
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(/deny/);
    expect(ran.stdout).toContain('hookloop check');
    expect(ran.stderr).toContain('.nyzhi/config.toml:3:');
  });

  test('refuses in a project whose gates no one has trusted, and says how to', () => {
    const world = untrustedWorld();
    const ran = call(world, agent, event, payload('git status', world.project));
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(/deny/);
    expect(ran.stdout).toContain('hookloop trust');
  });

  test('refuses a payload that it cannot read', () => {
    const ran = call(worldWith(), agent, event, '{"tool_name": ');
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(/deny/);
    expect(ran.stdout).toContain('not JSON');
  });

  test('lets an event pass that it does not know, and keeps a line about it', () => {
    const world = worldWith();
    const ran = call(world, agent, 'SomethingNew', {});
    expect(ran).toEqual({ exit: 0, stdout: ['cursor', 'opencode'].includes(agent) ? '{}\n' : '', stderr: '' });
    const log = readFileSync(join(world.home, '.local/state/hookloop/hosts/log'), 'utf8');
    expect(log).toContain(`${agent} SomethingNew is not an event Hookloop knows`);
  });
});

describe('hookloop hook', () => {
  test('refuses when a trusted gate is gone', () => {
    const world = worldWith();
    rmSync(world.pathOf('.nyzhi/config.toml'));
    const { event, payload } = shellCalls.claude;
    expect(call(world, 'claude', event, payload('git status', world.project)).stdout).toContain('hookloop trust');
  });

  test('runs after_edit hooks for every file of a patch, with paths that exist', () => {
    const world = worldWith();
    const patch = '*** Begin Patch\n*** Update File: a.ts\n*** Add File: sub/b.ts\n*** Add File: c.md\n*** End Patch\n';
    const ran = call(world, 'codex', 'PostToolUse', {
      session_id: 's',
      cwd: world.project,
      hook_event_name: 'PostToolUse',
      tool_name: 'apply_patch',
      tool_input: { command: patch },
      tool_response: 'Exit code: 0\n',
      tool_use_id: 'c1',
    });
    expect(ran).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(readFileSync(world.pathOf('edits'), 'utf8')).toBe(
      `formatted ${world.project}/a.ts\nformatted ${world.project}/sub/b.ts\n`,
    );
  });

  test('gives the model what hooks print, where the agent takes it', () => {
    const world = worldWith();
    const ran = call(world, 'claude', 'PostToolUse', {
      ...claudeCall('PostToolUse', 'Bash', 'ls', world.project),
      tool_response: { stdout: '' },
      tool_use_id: 't1',
    });
    expect(JSON.parse(ran.stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: '[hook] echo seen (ok)\nseen' },
    });
  });

  test('leaves hooks in the language of Claude to Claude, and runs them for others', () => {
    const world = worldWith('');
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] } };
    world.write('.claude/settings.json', JSON.stringify(settings));
    trust(world);
    const [claude, codex] = (['claude', 'codex'] as const).map(agent =>
      call(world, agent, 'PreToolUse', shellCalls[agent].payload('ls', world.project)),
    );
    expect(claude!.stdout).toBe('');
    expect(JSON.parse(codex!.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  test('does not call itself through its own entries', () => {
    const world = worldWith('');
    const command = `echo called >> called; true hook claude PreToolUse || exit 2 # hookloop`;
    const settings = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } };
    world.write('.claude/settings.local.json', JSON.stringify(settings));
    call(world, 'codex', 'PreToolUse', shellCalls.codex.payload('ls', world.project));
    expect(() => readFileSync(world.pathOf('called'))).toThrow('ENOENT');
  });

  test('keeps to the project that the agent was started in', () => {
    const world = worldWith();
    const payload = shellCalls.claude.payload('git push', world.home);
    const ran = call(world, 'claude', 'PreToolUse', payload, { CLAUDE_PROJECT_DIR: world.project });
    expect(ran.stdout).toContain('deny');
    mkdirSync(join(world.home, 'elsewhere'));
    const elsewhere = { CLAUDE_PROJECT_DIR: join(world.home, 'elsewhere') };
    const other = { ...payload, session_id: 'other', cwd: world.project };
    expect(call(world, 'claude', 'PreToolUse', other, elsewhere).stdout).toBe('');
  });

  test('lets a turn go on eight times in a row without anything done, where the agent has no limit of its own', () => {
    const world = worldWith('[[agent.hooks]]\nevent = "after_turn"\ncommand = "echo more; exit 1"\nblock = true\n');
    const stop = { session_id: 's', cwd: world.project, hook_event_name: 'Stop', stop_hook_active: true };
    const turns = Array.from({ length: 9 }, () => call(world, 'codex', 'Stop', stop));
    expect(turns.map(({ stdout }) => stdout !== '' && JSON.parse(stdout).decision)).toEqual([
      ...Array(8).fill('block'),
      false,
    ]);
    expect(turns[8]!.stderr).toContain('although it was refused');
  }, 60_000);

  test('says on stderr what it cannot say to an agent, and gives the agent text at the next chance', () => {
    const world = worldWith(
      '[[agent.hooks]]\nevent = "after_edit"\ncommand = "echo lint failed; exit 1"\nblock = true\n',
    );
    const common = { conversation_id: 'c', workspace_roots: [world.project] };
    const edit = { ...common, hook_event_name: 'afterFileEdit', file_path: world.pathOf('a.ts') };
    expect(call(world, 'cursor', 'afterFileEdit', edit).stdout).toBe('{}\n');
    const after = { ...common, hook_event_name: 'postToolUse', tool_name: 'Shell', tool_input: { command: 'ls' } };
    expect(JSON.parse(call(world, 'cursor', 'postToolUse', after).stdout)).toEqual({
      additional_context: expect.stringContaining('lint failed'),
    });
    expect(call(world, 'cursor', 'postToolUse', after).stdout).toBe('{}\n');
  });

  test('names the agents it knows when it is called with another', () => {
    const ran = worldWith().run(['hook', 'cloude', 'PreToolUse']);
    expect(ran.exit).toBe(64);
    expect(ran.stderr).toContain('claude');
  });
});

describe('rules and questions of hookloop.yaml', () => {
  const edit = (id: string) => ({
    ...claudeCall,
    hook_event_name: 'PreToolUse',
    tool_use_id: id,
    tool_name: 'Edit',
    tool_input: { file_path: 'db/1.sql' },
  });
  const worldOf = (...entries: string[]): World => {
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', `hooks:\n  tool.calling:\n${entries.map(entry => `    - ${entry}\n`).join('')}`);
    trust(world);
    return world;
  };

  test('a question is put to the user by an agent that can, and a later rule still refuses', () => {
    const asks = worldOf('{ ask: "Change ${TOOL}?", files: "db/**" }');
    const said = JSON.parse(call(asks, 'claude', 'PreToolUse', edit('1')).stdout).hookSpecificOutput;
    expect(said).toMatchObject({ permissionDecision: 'ask', permissionDecisionReason: 'Change Edit?' });
    const refuses = worldOf('{ ask: "Change it?", files: "db/**" }', '{ deny: "Never.", files: "db/**" }');
    const refused = JSON.parse(call(refuses, 'claude', 'PreToolUse', edit('2')).stdout).hookSpecificOutput;
    expect(refused).toMatchObject({ permissionDecision: 'deny', permissionDecisionReason: 'Never.' });
  });

  test('for an agent that asks no one a question waits, and no answer is a no', () => {
    const world = worldOf('{ ask: "Change it?", files: "db/**", timeout: 200ms }');
    const { permissionDecision, permissionDecisionReason } = JSON.parse(
      call(world, 'codex', 'PreToolUse', edit('3')).stdout,
    ).hookSpecificOutput;
    expect(permissionDecision).toBe('deny');
    expect(permissionDecisionReason).toContain('no one answered within 0.2 s');
  });

  test('a file that was taken in is trusted with the one that names it, and its scripts too', () => {
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', 'extends: ./team/hooks.yaml\n');
    world.write('team/hooks.yaml', 'hooks: { tool.calling: [ \'sh "$HOOKS_DIR/gate.sh"\' ] }\n');
    world.write('team/gate.sh', 'echo not now; exit 1\n');
    trust(world);
    expect(call(world, 'claude', 'PreToolUse', edit('4')).stdout).toContain('not now');
    world.write('team/gate.sh', 'exit 0\n');
    expect(call(world, 'claude', 'PreToolUse', edit('5')).stdout).toContain('hookloop trust');
  });
});

describe('cursor with several folders', () => {
  const other = join(folder, 'another-root');
  beforeAll(() => mkdirSync(join(other, '.git'), { recursive: true }));

  test.each([{}, { CURSOR_PROJECT_DIR: other }])('is held to the gates of all of them, with %j', env => {
    const world = worldWith();
    const payload = { ...shellCalls.cursor.payload('git push', other), workspace_roots: [other, world.project] };
    const ran = world.run(['-C', other, 'hook', 'cursor', 'preToolUse'], { input: JSON.stringify(payload), env });
    expect(ran.stdout).toContain('no pushing');
  });
});
