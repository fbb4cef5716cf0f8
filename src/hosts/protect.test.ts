import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleHostProgram, trust } from '../../test/host-program.ts';
import { createWorld, temporaryFolder, type World } from '../../test/program.ts';
import { shellCalls } from './fixtures/shell-calls.ts';
import { type AgentName, agentNames } from './index.ts';

const folder = temporaryFolder('hosts-protect');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A gate of tasks: it has nothing to say about tools. */
function project(): World {
  const world = createWorld(folder, program);
  world.write('.sauna/hooks.json', '["sh gate.sh"]');
  world.write('gate.sh', 'exit 1\n');
  trust(world);
  return world;
}

function ask(world: World, agent: AgentName, command: string, cwd = world.project): unknown {
  const { event, payload } = shellCalls[agent];
  const { exit, stdout, stderr } = world.run(['hook', agent, event], {
    input: JSON.stringify(payload(command, world.project)),
    cwd,
  });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return stdout === '' ? undefined : JSON.parse(stdout);
}

describe.each(agentNames)('what would lift the gates of %s', agent => {
  test('is asked about, or refused where no one can be asked', () => {
    const world = project();
    const word = ['claude', 'copilot', 'qwen'].includes(agent) ? 'ask' : 'deny';
    for (const [command, why] of [
      ['echo exit 0 > gate.sh; hookloop trust --yes', 'hookloop trust is for people'],
      ['echo exit 0 > gate.sh', 'gate.sh is run by a hook'],
    ] as const) {
      const answer = JSON.stringify(ask(world, agent, command));
      expect(answer).toContain(word);
      expect(answer).toContain(why);
    }
    expect(JSON.stringify(ask(world, agent, 'cat gate.sh') ?? {})).not.toContain('deny');
  });
});

test('a gate that refuses for good is not softened to a question', () => {
  const world = project();
  world.write(
    '.nyzhi/config.toml',
    '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "echo never; exit 1"\nblock = true\n',
  );
  trust(world);
  expect(ask(world, 'claude', 'rm gate.sh')).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: expect.stringContaining('never') },
  });
});

describe('an agent that does not name its project', () => {
  const gate = '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "echo held here; exit 1"\nblock = true\n';

  test.each(['codex', 'copilot', 'opencode'] as const)(
    '%s meets the gates of the folder it runs in and of the one it speaks of',
    agent => {
      const [here, there] = [createWorld(folder, program), createWorld(folder, program)];
      here.write('.nyzhi/config.toml', gate);
      trust(here);
      const { event, payload } = shellCalls[agent];
      const call = (cwd: string, told: string): string =>
        here.run(['hook', agent, event], { input: JSON.stringify(payload('ls', told)), cwd }).stdout;
      expect(call(there.project, there.project)).toBe(agent === 'opencode' ? '{}\n' : '');
      expect(call(here.project, there.project)).toContain('held here');
      expect(call(there.project, here.project)).toContain('held here');
    },
  );
});

test('a folder that the agent speaks of and that is gone counts for nothing', () => {
  const world = project();
  writeFileSync(join(world.project, 'x'), '');
  const { event, payload } = shellCalls.codex;
  const input = JSON.stringify(payload('rm gate.sh', join(world.project, 'x')));
  expect(world.run(['hook', 'codex', event], { input }).stdout).toContain('gate.sh is run by a hook');
});
