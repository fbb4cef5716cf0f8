import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import { examine } from './examine.ts';
import { bundlePrograms, createDoctorWorld, type DoctorWorld, type Programs } from './fixtures/world.ts';
import type { AgentReport } from './report.ts';

const folder = temporaryFolder('doctor');
let programs: Programs;
beforeAll(async () => {
  programs = await bundlePrograms(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** More than any of these needs. */
const limitMs = 25_000;

const newWorld = (): DoctorWorld => createDoctorWorld(folder, programs);

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

  test('is shown in a table, with its files; it is trusted where its own dialog was accepted', () => {
    const world = worldWith('good');
    world.write('~/.claude.json', JSON.stringify({ projects: { [world.project]: { hasTrustDialogAccepted: true } } }));
    const { exit, stdout } = world.doctor('claude');
    expect(stdout).toMatch(
      /^AGENT +VERSION +FIRES +BLOCKS +TRUST +ONE HOOK\nclaude +9\.8\.7 +yes +yes +trusted +\d+ ms\n/,
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

describe.concurrent('an agent that does not', () => {
  test('act on a refusal is found out', async ({ expect }) => {
    const report = await examine('claude', worldWith('blocks-not').examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: false });
    expect(errorsOf(report)).toEqual(['claude ran a command that Hookloop had refused']);
  });

  test('tell its model why still blocks', async ({ expect }) => {
    const report = await examine('claude', worldWith('tells-not').examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: true });
    const message = 'claude does not tell its model why a call was refused';
    expect(report.findings).toContainEqual({ severity: 'warning', message });
  });

  test('come to its model proves nothing, and its last words are told', async ({ expect }) => {
    const report = await examine('claude', worldWith('crashes').examination(limitMs));
    expect(report).toMatchObject({ fires: null, blocks: null });
    expect(errorsOf(report)).toEqual([
      'claude ended before it asked its model for anything: exit code 3: out of order',
    ]);
  });

  test('live until the second call leaves open whether it blocks', async ({ expect }) => {
    const report = await examine('claude', worldWith('crashes-later').examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: null });
    expect(errorsOf(report)).toEqual(['claude ended before a call could be refused: exit code 4']);
  });

  test('end is ended, with all that it has started', async ({ expect }) => {
    const world = worldWith('hangs');
    const begunMs = performance.now();
    const report = await examine('claude', world.examination(9000));
    expect(performance.now() - begunMs).toBeLessThan(20_000);
    expect(report).toMatchObject({ fires: null, blocks: null });
    expect(errorsOf(report)[0]).toMatch(
      /^claude ended before it asked its model for anything: not at its end after \d+ s$/,
    );
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

describe.concurrent('settings and files', () => {
  test('that switch hooks off are named', async ({ expect }) => {
    const world = worldWith('good');
    const file = world.write('~/.claude/settings.json', '{ "disableAllHooks": true, "theme": "dark" }');
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: false, blocks: false });
    const message = `disableAllHooks in ${file} switches hooks off`;
    const fix = `remove disableAllHooks from ${file}`;
    expect(report.findings).toContainEqual({ severity: 'error', message, fix });
    const generic = { severity: 'error', message: 'claude used a tool without calling Hookloop' };
    expect(report.findings).toContainEqual(generic);
  });

  test('that call a launcher that is gone are found out, and what to do', async ({ expect }) => {
    const world = worldWith('good');
    rmSync(join(world.home, '.local'), { recursive: true });
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: false, latencyMs: null });
    expect(report.findings[0]).toMatchObject({ severity: 'error', fix: 'hookloop install claude' });
    expect(report.findings[0]!.message).toMatch(/^the installed command does not work: exit code \d+: .*not found/);
  });

  test('of an older version still work, and are to be renewed', async ({ expect }) => {
    const world = worldWith('good');
    const file = world.pathOf('.claude/settings.local.json');
    const text = readFileSync(file, 'utf8').replaceAll('"timeout": 600', '"timeout": 300');
    world.write('.claude/settings.local.json', text);
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: true });
    expect(report.files[0]).toEqual({ file, scopes: ['project'], state: 'old' });
    expect(report.findings[0]).toMatchObject({ severity: 'warning', fix: 'hookloop install claude' });
  });

  test('of the user count in every project, and what nobody can read is told', async ({ expect }) => {
    const world = newWorld();
    world.agent('claude', 'good');
    world.run(['install', 'claude', '--user']);
    const file = world.write('.claude/settings.json', '{ "hooks": ');
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: true });
    const message = `${file} cannot be used: not valid JSON: value expected`;
    expect(report.findings[0]).toMatchObject({ severity: 'warning', message });
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

  test.each(['cursor', 'copilot'] as const)(
    '%s: the reason is told, and the hook is timed all the same',
    async agent => {
      const world = newWorld();
      world.agent(agent === 'cursor' ? 'cursor-agent' : 'copilot', 'good');
      world.run(['install', agent]);
      const report = await examine(agent, world.examination(limitMs));
      expect(report).toMatchObject({ agent, version: '9.8.7', fires: null, blocks: null, trust: 'unknown' });
      expect(report.latencyMs).toBeGreaterThan(0);
      expect(report.findings[0]!.message).toMatch(/was not tried: .* works only with its own servers/);
    },
  );

  test('an agent that cannot be tried does not make the command fail', () => {
    const world = newWorld();
    world.agent('copilot', 'good');
    world.run(['install', 'copilot']);
    expect(world.doctor('copilot')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^copilot +9\.8\.7 +- +- /m),
    });
  });

  test('nobody is there: it says what it looked for', () => {
    const world = newWorld();
    const { exit, stdout } = world.doctor();
    const looked = 'claude, codex, gemini, qwen, opencode, cursor-agent, copilot';
    expect(stdout).toContain(`No agent was found. Looked on PATH and in node_modules for ${looked}, `);
    expect(exit).toBe(0);
    expect(JSON.parse(world.doctor('--json').stdout)).toMatchObject({ agents: [] });
  });

  test('a name that nobody knows is a usage error', () => {
    expect(newWorld().doctor('claud')).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('did you mean claude?'),
    });
  });
});

test('hooks of the project that agents may not run yet are told', () => {
  const world = worldWith('good');
  world.write('hookloop.yaml', 'hooks:\n  tool.calling:\n    - { type: shell, command: "exit 1", block: true }\n');
  const { exit, stdout } = world.doctor();
  expect(stdout).toMatch(/^claude .* yes +yes /m);
  expect(stdout).toContain('do: hookloop trust');
  expect(exit).toBe(0);
});
