import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import { examine } from './examine.ts';
import { bundleDoctor, createDoctorWorld, type DoctorWorld } from './fixtures/world.ts';
import type { AgentReport } from './report.ts';

const folder = temporaryFolder('doctor');
let program: string;
beforeAll(async () => {
  program = await bundleDoctor(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newWorld = (): DoctorWorld => createDoctorWorld(folder, program);

/** A world in which claude is one that behaves so, and calls us. */
function worldWith(mode: string): DoctorWorld {
  const world = newWorld();
  world.agent('claude', mode);
  expect(world.run(['install', 'claude']).exit).toBe(0);
  return world;
}

const onlyAgent = (stdout: string): AgentReport => {
  const { agents } = JSON.parse(stdout) as { agents: AgentReport[] };
  expect(agents.length).toBe(1);
  return agents[0]!;
};
const errorsOf = ({ findings }: AgentReport): string[] =>
  findings.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));

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

  test('is shown in a table, with its files', () => {
    const { exit, stdout } = worldWith('good').doctor('claude');
    expect(stdout).toMatch(/^AGENT +VERSION +FIRES +BLOCKS +TRUST +ONE HOOK\nclaude +9\.8\.7 +yes +yes +not trusted +\d+ ms\n/);
    expect(stdout).toContain('.claude/settings.local.json (project): calls Hookloop');
    expect(exit).toBe(0);
  });

  test('is trusted where its own dialog was accepted', () => {
    const world = worldWith('good');
    world.write('~/.claude.json', JSON.stringify({ projects: { [world.project]: { hasTrustDialogAccepted: true } } }));
    expect(onlyAgent(world.doctor('--json').stdout)).toMatchObject({ trust: 'trusted', findings: [{ severity: 'note' }] });
  });

  test('gets no key, no proxy and no file of the user, and runs no hook of others', () => {
    const world = worldWith('good');
    const file = world.pathOf('.claude/settings.local.json');
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    const mark = world.pathOf('a-stranger-ran');
    settings.hooks.PreToolUse.unshift({ hooks: [{ type: 'command', command: `touch ${mark}` }] });
    settings.env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    world.write('.claude/settings.local.json', JSON.stringify(settings));
    const before = readdirSync(world.home, { recursive: true }).sort();
    expect(onlyAgent(world.doctor('--json').stdout)).toMatchObject({ fires: true, blocks: true });
    const environment = JSON.parse(world.noted('environment')!);
    expect(environment).toMatchObject({ ANTHROPIC_API_KEY: 'scripted' });
    expect(environment.ANTHROPIC_BASE_URL).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(environment.HTTPS_PROXY).toBeUndefined();
    expect(environment.HOME).not.toBe(world.home);
    expect(existsSync(mark)).toBe(false);
    expect(readdirSync(world.home, { recursive: true }).sort()).toEqual(before);
    expect(readdirSync(world.project).sort()).toEqual(['.claude', '.git']);
    expect(world.left()).toEqual([]);
  });
});

describe('an agent that does not', () => {
  test('call us is found out', () => {
    const { exit, stdout } = worldWith('fires-not').doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ fires: false, blocks: false });
    expect(errorsOf(report)).toEqual(['claude used a tool without calling Hookloop']);
    expect(exit).toBe(1);
  });

  test('act on a refusal is found out', () => {
    const { exit, stdout } = worldWith('blocks-not').doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ fires: true, blocks: false });
    expect(errorsOf(report)).toEqual(['claude ran a command that Hookloop had refused']);
    expect(exit).toBe(1);
  });

  test('tell its model why still blocks', () => {
    const { exit, stdout } = worldWith('tells-not').doctor('--json');
    expect(onlyAgent(stdout).findings).toContainEqual({
      severity: 'warning',
      message: 'claude does not tell its model why a call was refused',
    });
    expect(exit).toBe(0);
  });

  test('come to its model proves nothing, and its last words are told', () => {
    const { exit, stdout } = worldWith('crashes').doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ fires: null, blocks: null });
    expect(errorsOf(report)).toEqual(['claude ended before it asked its model for anything: exit code 3: out of order']);
    expect(exit).toBe(1);
  });

  test('live until the second call leaves open whether it blocks', () => {
    const report = onlyAgent(worldWith('crashes-later').doctor('--json').stdout);
    expect(report).toMatchObject({ fires: true, blocks: null });
    expect(errorsOf(report)).toEqual(['claude ended before a call could be refused: exit code 4']);
  });

  test('end is ended, with all that it has started', async () => {
    const world = worldWith('hangs');
    const begunMs = performance.now();
    const report = await examine('claude', world.examination(6000));
    expect(performance.now() - begunMs).toBeLessThan(12_000);
    expect(report).toMatchObject({ fires: null, blocks: null });
    expect(errorsOf(report)[0]).toMatch(/^claude ended before it asked its model for anything: not at its end after \d+ s$/);
    const pids = world.noted('pids')!.split(' ').map(Number);
    expect(pids.length).toBe(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('settings and files', () => {
  test('that switch hooks off are named', () => {
    const world = worldWith('good');
    const file = world.write('~/.claude/settings.json', '{ "disableAllHooks": true, "theme": "dark" }');
    const { exit, stdout } = world.doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ fires: false, blocks: false });
    const warning = { message: `disableAllHooks in ${file} switches hooks off`, fix: `remove disableAllHooks from ${file}` };
    expect(report.findings).toContainEqual({ severity: 'warning', ...warning });
    expect(exit).toBe(1);
  });

  test('that call a launcher that is gone are found out, and what to do', () => {
    const world = worldWith('good');
    rmSync(join(world.home, '.local'), { recursive: true });
    const { exit, stdout } = world.doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ fires: false, latencyMs: null });
    expect(report.findings[0]).toMatchObject({ severity: 'error', fix: 'hookloop install claude' });
    expect(report.findings[0]!.message).toMatch(/^the installed command does not work: exit code \d+: .*not found/);
    expect(exit).toBe(1);
  });

  test('of an older version still work, and are to be renewed', () => {
    const world = worldWith('good');
    const file = world.pathOf('.claude/settings.local.json');
    world.write('.claude/settings.local.json', readFileSync(file, 'utf8').replaceAll('"timeout": 600', '"timeout": 300'));
    const { exit, stdout } = world.doctor('--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ fires: true, blocks: true });
    expect(report.files[0]).toEqual({ file, scopes: ['project'], state: 'old' });
    expect(report.findings[0]).toMatchObject({ severity: 'warning', fix: 'hookloop install claude' });
    expect(exit).toBe(0);
  });

  test('of the user count in every project', () => {
    const world = newWorld();
    world.agent('claude', 'good');
    world.run(['install', 'claude', '--user']);
    expect(onlyAgent(world.doctor('--json').stdout)).toMatchObject({ fires: true, blocks: true });
  });

  test('that nobody can read are told', () => {
    const world = worldWith('good');
    const file = world.write('.claude/settings.json', '{ "hooks": ');
    expect(onlyAgent(world.doctor('--json').stdout).findings[0]).toMatchObject({
      severity: 'warning',
      message: `${file} cannot be used: not valid JSON: value expected`,
    });
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

  test.each(['cursor', 'copilot'])('%s: the reason is told, and the hook is timed all the same', agent => {
    const world = newWorld();
    world.agent(agent === 'cursor' ? 'cursor-agent' : 'copilot', 'good');
    world.run(['install', agent]);
    const { exit, stdout } = world.doctor(agent, '--json');
    const report = onlyAgent(stdout);
    expect(report).toMatchObject({ agent, version: '9.8.7', fires: null, blocks: null, trust: 'unknown' });
    expect(report.latencyMs).toBeGreaterThan(0);
    expect(report.findings[0]!.message).toMatch(/was not tried: .* works only with its own servers/);
    expect(exit).toBe(0);
  });

  test('nobody is there: it says what it looked for', () => {
    const { exit, stdout } = newWorld().doctor();
    expect(stdout).toMatch(/^No agent was found\. Looked .* for claude, codex, gemini, qwen, opencode, cursor-agent, copilot/);
    expect(exit).toBe(0);
    expect(JSON.parse(newWorld().doctor('--json').stdout)).toMatchObject({ agents: [] });
  });

  test('a name that nobody knows is a usage error', () => {
    expect(newWorld().doctor('claud')).toMatchObject({ exit: 64, stderr: expect.stringContaining('did you mean claude?') });
  });
});

test('hooks of the project that agents may not run yet are told', () => {
  const world = worldWith('good');
  world.write('hookloop.yaml', 'hooks:\n  tool.calling:\n    - { type: shell, command: "exit 1", block: true }\n');
  expect(JSON.parse(world.doctor('--json').stdout)).toMatchObject({
    agents: [{ fires: true, blocks: true }],
    project: { trust: 'untrusted', fix: 'hookloop trust' },
  });
  expect(world.doctor().stdout).toContain('do: hookloop trust');
});
