import { cpSync, existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder, type World } from '../../test/program.ts';
import { agentSign, type Origin } from './not-for-agents.ts';

const folder = temporaryFolder('not-for-agents');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function project(): World {
  const world = createWorld(folder, program);
  world.write('.sauna/hooks.json', '["sh gate.sh"]');
  world.write('gate.sh', 'exit 1\n');
  return world;
}

const hasTrust = (world: World): boolean => existsSync(world.pathOf('~/.local/state/hookloop/trust.json'));

describe('what only a person may do is refused inside an agent', () => {
  test.each(['CLAUDECODE', 'GEMINI_CLI', 'CODEX_THREAD_ID', 'CURSOR_AGENT', 'QWEN_CODE', 'OPENCODE', 'COPILOT_CLI'])(
    'where %s is set',
    name => {
      const world = project();
      const { exit, stderr } = world.run(['trust', '--yes'], { env: { [name]: '1' } });
      expect([exit, stderr.split('\n')[0]]).toEqual([
        64,
        `hookloop trust: trust is for people: this runs inside an agent (${name} is set). Use another terminal`,
      ]);
      expect(hasTrust(world)).toBe(false);
    },
  );

  test.each([
    ['trust', '--yes'],
    ['trust', '--revoke'],
    ['approve', 'abc'],
    ['reject', 'abc'],
    ['approvals', '--link', 'abc'],
    ['serve', '--link'],
    ['uninstall', 'claude'],
  ])('%s %s', (...words) => {
    const { exit, stderr } = project().run(words, { env: { CLAUDECODE: '1' } });
    expect([exit, stderr]).toEqual([64, expect.stringContaining('is for people: this runs inside an agent')]);
  });

  test('looking is not refused', () => {
    const world = project();
    const env = { CLAUDECODE: '1' };
    expect(world.run(['trust', '--status'], { env }).stdout).toContain('Not trusted');
    expect(world.run(['approvals'], { env })).toMatchObject({ exit: 0 });
    expect(world.run(['uninstall', 'claude', '--dry-run'], { env })).toMatchObject({ exit: 0 });
  });

  const clean = 'env -i PATH="$PATH" HOME="$HOME" "$NODE" "$PROGRAM" trust --yes';

  test.each([
    ['with a cleared environment', `${clean}; exit $?`],
    ['in a terminal session of its own', `setsid -w ${clean}; exit $?`],
    [
      'several processes below it',
      `sh -c 'unset CLAUDECODE; sh -c "${clean.replaceAll('"', '\\"')}; exit \\$?"; exit $?'`,
    ],
  ])('%s', (_how, shell) => {
    const world = project();
    const { exit, stderr } = world.run([], { shell, env: { CLAUDECODE: '1' } });
    expect([exit, stderr]).toEqual([64, expect.stringMatching(/an agent \(CLAUDECODE is set in process \d+, sh\)/)]);
    expect(hasTrust(world)).toBe(false);
  });

  test('below the program of an agent, whatever the environment says', () => {
    const world = project();
    cpSync(realpathSync('/bin/sh'), world.pathOf('claude'));
    const { exit, stderr } = world.run([], { shell: `./claude -c '${clean}; exit $?'; exit $?` });
    expect([exit, stderr]).toEqual([64, expect.stringMatching(/inside an agent \(process \d+, claude\)/)]);
  });

  test('cut loose from everybody who could be seen', async () => {
    const world = project();
    world.run([], { shell: `setsid -f sh -c 'exec ${clean}' > told 2>&1 < /dev/null` });
    const told = (): string => readFileSync(world.pathOf('told'), 'utf8');
    for (const until = Date.now() + 15_000; !told().includes('\n') && Date.now() < until; ) await delay(20);
    expect(told()).toContain('trust is for people: the process that started this has ended, and there is no terminal');
    expect(hasTrust(world)).toBe(false);
  });
});

describe("a person's own scripts", () => {
  test('trust without a terminal', () => {
    const world = project();
    expect(world.run([], { shell: 'setsid -w "$NODE" "$PROGRAM" trust --yes < /dev/null' })).toMatchObject({ exit: 0 });
    expect(hasTrust(world)).toBe(true);
  });

  test('may hold settings of agents', () => {
    const env = {
      CODEX_HOME: '/x',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CODE_SSE_PORT: '1',
      GEMINI_API_KEY: 'k',
      CURSOR_TRACE_ID: 't',
    };
    expect(project().run(['trust', '--yes'], { env })).toMatchObject({ exit: 0 });
  });
});

describe('the processes above', () => {
  const origin = (words: readonly string[], more: Partial<Origin> = {}): Origin => ({
    ...{ env: {}, session: 9, hasTerminal: true },
    callers: [{ pid: 7, session: 9, words, env: {} }],
    ...more,
  });

  test.each([
    ['claude', '-p'],
    ['/usr/local/bin/codex'],
    ['node', '--no-warnings', '/usr/bin/gemini'],
    ['/usr/bin/node', '/x/node_modules/@anthropic-ai/claude-code/cli.js'],
    ['node', '/x/node_modules/@qwen-code/qwen-code/dist/index.js'],
    ['bun', '/x/node_modules/opencode-ai/bin/opencode'],
  ])('%s %s is an agent', (...words) => expect(agentSign(origin(words))).toContain('an agent (process 7'));

  test.each([
    ['bash', '-c', 'claude'],
    ['vim', 'claude'],
    ['node', 'server.js', '/usr/bin/gemini'],
    ['/home/claude/bin/make'],
  ])('%s %s is none', (...words) => expect(agentSign(origin(words))).toBeUndefined());

  test('a service and a container start us themselves', () => {
    const init = { pid: 1, session: 1, words: ['/sbin/init'], env: {} };
    expect(agentSign(origin([], { callers: [init], session: 1, hasTerminal: false }))).toBeUndefined();
    expect(agentSign(origin([], { callers: [init], session: 9, hasTerminal: true }))).toBeUndefined();
    expect(agentSign(origin([], { callers: [], session: 9, hasTerminal: false }))).toBeUndefined();
    expect(agentSign(origin([], { callers: [init], session: 9, hasTerminal: false }))).toContain('has ended');
  });
});
