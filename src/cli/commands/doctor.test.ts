import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { AgentReport } from '../../hosts/doctor/agent-report.ts';
import { doctorWorlds, errorsOf, isAlive } from '../../hosts/doctor/fixtures/world.ts';

const { newWorld, worldWith } = doctorWorlds('doctor-command');

const onlyAgent = (stdout: string): AgentReport => {
  const { agents } = JSON.parse(stdout) as { agents: AgentReport[] };
  expect(agents.length).toBe(1);
  return agents[0]!;
};

describe('an agent that does what it should', () => {
  test('fires and blocks, and that is all there is to say', () => {
    const world = worldWith('good');
    const { exit, stdout } = world.doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ agent: 'claude', version: '9.8.7', fires: true, blocks: true, trust: 'untrusted' });
    expect(report.latencyMs).toBeGreaterThan(0);
    expect(errorsOf(report)).toEqual([]);
    expect(exit).toBe(0);
  });

  test('is shown in a table, with its files; it is trusted where its own dialog was accepted', () => {
    const world = worldWith('good');
    world.write('~/.claude.json', JSON.stringify({ projects: { [world.project]: { hasTrustDialogAccepted: true } } }));
    const { exit, stdout } = world.doctor('claude');
    expect(stdout).toMatch(
      /^AGENT +VERSION +FIRES +BLOCKS +AGENT TRUST +ONE HOOK\nclaude +9\.8\.7 +yes +yes +trusted +\d+ ms\n/,
    );
    expect(stdout).toContain('.claude/settings.local.json (project): calls Hookloop');
    expect(stdout).not.toContain('warning:');
    expect(exit).toBe(0);
  });

  test('gets no key, no proxy and no file of the user, and runs no hook of others', () => {
    const world = worldWith('good');
    const file = world.pathOf('.claude/settings.local.json');
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    const mark = world.pathOf('a-stranger-ran');
    settings.hooks.PreToolUse.unshift({ hooks: [{ type: 'command', command: `touch ${mark}` }] });
    settings.env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    world.write('.claude/settings.local.json', JSON.stringify(settings));
    const before = readdirSync(world.home, { recursive: true }).map(String).sort();
    expect(onlyAgent(world.doctor('--json').stdout)).toMatchObject({ fires: true, blocks: true });
    const environment = JSON.parse(world.noted('environment')!);
    expect(environment).toMatchObject({ ANTHROPIC_API_KEY: 'scripted' });
    expect(environment.ANTHROPIC_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(environment.HTTPS_PROXY).toBeUndefined();
    expect(environment.HOME).not.toBe(world.home);
    expect(existsSync(mark)).toBe(false);
    // Which roots a session has is remembered for its later calls, and the code that V8 made for the next start.
    const isOurs = (path: string): boolean => !/hookloop\/(hosts|code)/.test(path);
    const left = readdirSync(world.home, { recursive: true }).map(String);
    expect(left.filter(isOurs).sort()).toEqual(before.filter(isOurs));
    expect(readdirSync(world.project).sort()).toEqual(['.claude', '.git']);
    expect(world.left()).toEqual([]);
  });
});

describe('a bad agent', () => {
  test('that is still at it when we are interrupted ends with us, and nothing is left', async () => {
    const world = worldWith('hangs');
    const running = world.startDoctor('claude');
    await vi.waitFor(() => expect(world.noted('pids')).toBeDefined(), { timeout: 20_000 });
    const ended = new Promise(resolve => running.once('close', resolve));
    running.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(world.noted('pids')!.split(' ').map(Number).filter(isAlive)).toEqual([]);
    expect(world.left()).toEqual([]);
  });

  test('that does not call us makes the command fail', () => {
    const { exit, stdout } = worldWith('fires-not').doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ fires: false, blocks: false });
    expect(errorsOf(report)).toEqual(['claude used a tool without calling Hookloop']);
    expect(exit).toBe(1);
  });
});

describe('agents that cannot be tried', () => {
  test('without entries get the line that installs them', () => {
    const world = newWorld();
    world.agent('claude', 'good');
    const { exit, stdout } = world.doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ version: '9.8.7', fires: null, blocks: null, latencyMs: null });
    expect(report.findings[0]).toMatchObject({ severity: 'note', fix: 'hookloop install claude' });
    expect(world.noted('environment')).toBeUndefined();
    expect(exit).toBe(0);
  });

  test('no one is there: it says what it looked for', () => {
    const world = newWorld();
    const { exit, stdout } = world.doctor();
    const looked = 'claude, codex, gemini, qwen, opencode, cursor-agent, copilot';
    expect(stdout).toContain(`No agent was found. Looked on PATH and in node_modules for ${looked}, `);
    expect(exit).toBe(0);
    expect(JSON.parse(world.doctor('--json').stdout)).toMatchObject({ agents: [] });
  });

  test('a name that no one knows is a usage error', () => {
    expect(newWorld().doctor('claud')).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('did you mean claude?'),
    });
  });
});

describe('hooks of the project that agents may not run', () => {
  const gate = 'hooks:\n  tool.calling:\n    - exit 1\n';

  test('make the command fail where something is installed, and say what to do', () => {
    const world = worldWith('good');
    world.write('hookloop.yaml', gate);
    const { exit, stdout } = world.doctor();
    expect(stdout).toMatch(/^claude .* yes +yes /m);
    expect(stdout).toContain('do: hookloop trust');
    expect(exit).toBe(1);
    expect(world.run(['trust', '--yes']).exit).toBe(0);
    expect(world.doctor()).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('The hooks of this project are trusted: agents may run them.'),
    });
    expect(world.doctor('--json')).toMatchObject({ exit: 0, stdout: expect.stringContaining('"trust": "trusted"') });
  });

  test('do not where nothing is', () => {
    const world = newWorld();
    world.agent('claude', 'good');
    world.write('hookloop.yaml', gate);
    expect(world.doctor()).toMatchObject({ exit: 0, stdout: expect.stringContaining('do: hookloop trust') });
  });

  test.each([
    ['new', gate],
    ['broken', 'hooks: ['],
    ['not there', undefined],
  ])('stand as trust --status says: %s', (_what, text) => {
    const world = worldWith('good');
    if (text !== undefined) world.write('hookloop.yaml', text);
    const { project } = JSON.parse(world.doctor('--json').stdout) as { project: { trust: string } };
    const { trusted } = JSON.parse(world.run(['trust', '--status', '--json']).stdout) as { trusted: boolean };
    expect(project.trust !== 'untrusted').toBe(trusted);
  });
});
