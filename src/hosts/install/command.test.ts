import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleHostProgram, trust } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder, type World } from '../../../test/program.ts';
import { agentNames } from '../index.ts';

const folder = temporaryFolder('install-command');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newWorld = (): World => createWorld(folder, program);
const launcher = '.local/state/hookloop/bin/hookloop';

const files = {
  claude: ['.claude/settings.local.json', '.claude/settings.json', '.claude/settings.json'],
  codex: ['.codex/hooks.json', '.codex/hooks.json', '.codex/hooks.json'],
  gemini: ['.gemini/settings.json', '.gemini/settings.json', '.gemini/settings.json'],
  qwen: ['.qwen/settings.json', '.qwen/settings.json', '.qwen/settings.json'],
  cursor: ['.cursor/hooks.json', '.cursor/hooks.json', '.cursor/hooks.json'],
  copilot: ['.github/copilot/settings.local.json', '.github/hooks/hookloop.json', '.copilot/hooks/hookloop.json'],
  opencode: ['.opencode/plugins/hookloop.js', '.opencode/plugins/hookloop.js', '.config/opencode/plugins/hookloop.js'],
} as const;

describe.each(agentNames)('hookloop install %s', agent => {
  const [project, shared, user] = files[agent];

  test('writes the file of this checkout with an absolute path', () => {
    const world = newWorld();
    const ran = world.run(['install', agent]);
    expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 0, stdout: '' });
    expect(ran.stderr).toContain(project);
    expect(readFileSync(world.pathOf(project), 'utf8')).toContain(join(world.home, launcher));
    expect(statSync(join(world.home, launcher)).mode & 0o111).toBe(0o111);
    expect(world.run(['install', agent]).stderr).toContain('already');
  });

  test('writes the committed file with a name on PATH', () => {
    const world = newWorld();
    world.run(['install', agent, '--shared']);
    const text = readFileSync(world.pathOf(shared), 'utf8');
    expect(text).not.toContain(world.home);
    expect(text).toContain(agent === 'opencode' ? 'program = "hookloop"' : `&& NODE_OPTIONS= hookloop hook ${agent} `);
    expect(existsSync(join(world.home, launcher))).toBe(false);
  });

  test('writes the file of the user, and nothing in the project', () => {
    const world = newWorld();
    world.run(['install', agent, '--user']);
    expect(readFileSync(join(world.home, user), 'utf8')).toContain('hookloop');
    expect(readdirSync(world.project)).toEqual(['.git']);
    world.run(['uninstall', agent, '--user']);
    expect(existsSync(dirname(join(world.home, user)))).toBe(false);
    expect(existsSync(join(world.home, launcher))).toBe(false);
  });

  test('shows with --dry-run a diff that git can apply, and writes nothing', () => {
    const world = newWorld();
    const isCode = agent === 'opencode';
    const text = '{\n  // mine\n  "theme": "dark",\n  "a": [\n    1,\n    2,\n    3,\n    4\n  ],\n  "z": 1\n}';
    if (!isCode) world.write(project, text);
    const { stdout, exit } = world.run(['install', agent, '--dry-run']);
    expect(exit).toBe(0);
    expect(existsSync(join(world.home, '.local'))).toBe(false);
    if (!isCode) expect(readFileSync(world.pathOf(project), 'utf8')).toBe(text);
    const copy = newWorld();
    if (!isCode) copy.write(project, text);
    const { status, stderr } = spawnSync('git', ['apply', '-'], { cwd: copy.project, input: stdout, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    world.run(['install', agent]);
    expect(readFileSync(copy.pathOf(project), 'utf8')).toBe(readFileSync(world.pathOf(project), 'utf8'));
  });
});

const commandsOf = (text: string): string[] =>
  [...text.matchAll(/"(?:command|bash)": ("(?:[^"\\]|\\.)*")/g)].map(([, command]) => JSON.parse(command!));

const gate = '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "echo stop it; exit 1"\nblock = true\n';

describe('an installed entry', () => {
  const agents = agentNames.filter(agent => agent !== 'opencode');
  const isGate = / (PreToolUse|BeforeTool|preToolUse)( |$)/;

  test.each(agents)('of %s asks our hooks when a shell runs it', agent => {
    const world = newWorld();
    world.write('.nyzhi/config.toml', gate);
    trust(world);
    world.run(['install', agent]);
    const command = commandsOf(readFileSync(world.pathOf(files[agent][0]), 'utf8')).find(text => isGate.test(text))!;
    const call = { cwd: world.project, tool_name: 'Bash', toolName: 'bash', tool_input: { command: 'ls' } };
    const ran = world.run([], { shell: command, input: JSON.stringify(call) });
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(/deny.*stop it/);
  });

  test('survives a home with spaces and quotes', () => {
    const world = newWorld();
    const home = join(world.home, `it's "my" $HOME`);
    mkdirSync(home);
    world.run(['install', 'claude'], { env: { HOME: home } });
    const [command] = commandsOf(readFileSync(world.pathOf('.claude/settings.local.json'), 'utf8'));
    expect(world.run([], { shell: command!, input: '{}', env: { HOME: home } })).toEqual({
      exit: 0,
      stdout: '',
      stderr: '',
    });
  });
});

describe('hookloop install', () => {
  const path = '.claude/settings.local.json';

  test('refuses a file that it cannot read, and says where', () => {
    const world = newWorld();
    world.write(path, '{\n  "hooks": {,}\n}\n');
    const ran = world.run(['install', 'claude']);
    expect(ran.exit).toBe(78);
    expect(ran.stderr).toContain(`${path}:2:13: error: not valid JSON`);
    expect(readFileSync(world.pathOf(path), 'utf8')).toBe('{\n  "hooks": {,}\n}\n');
  });

  test.each(['gemini', 'qwen', 'cursor'])(
    'tells of trusted folders only where it wrote a file of the project: %s',
    agent => {
      const world = newWorld();
      const ofProjects = /hooks of a project only in a trusted/;
      expect(world.run(['install', agent, '--user']).stderr).not.toMatch(ofProjects);
      expect(world.run(['install', agent]).stderr).toMatch(ofProjects);
    },
  );

  test('tells of entries that name a path of this machine where git would commit them', () => {
    const world = newWorld();
    const notice =
      'These entries work on this machine only, and git does not ignore .gemini/settings.json: do not commit them. To share them: hookloop install gemini --shared; for all your projects: --user\n';
    expect(world.run(['install', 'gemini', '--dry-run']).stderr).toBe('');
    spawnSync('git', ['init', '--quiet'], { cwd: world.project });
    expect(world.run(['install', 'gemini', '--dry-run']).stderr).toBe(notice);
    expect(world.run(['install', 'gemini', '--json']).stderr).toBe(notice);
    for (const args of [
      ['install', 'gemini', '--shared'],
      ['install', 'gemini', '--user'],
      ['uninstall', 'gemini'],
    ])
      expect(world.run(args)).toMatchObject({ exit: 0, stderr: expect.not.stringContaining('machine only') });
  });

  test('tells that hooks of the project wait for trust, while they do', () => {
    const world = newWorld();
    const isTold = (): boolean => world.run(['install', 'claude']).stderr.includes('hookloop trust');
    expect(isTold()).toBe(false);
    world.write('.nyzhi/config.toml', gate);
    expect(isTold()).toBe(true);
    trust(world);
    expect(isTold()).toBe(false);
  });

  test('keeps the mode of a file', () => {
    const world = newWorld();
    world.write(path, '{}', 0o600);
    world.run(['install', 'claude']);
    expect(statSync(world.pathOf(path)).mode & 0o777).toBe(0o600);
    world.run(['uninstall', 'claude']);
    expect(statSync(world.pathOf(path)).mode & 0o777).toBe(0o600);
  });

  test.each(['file', 'folder'])('follows no linked %s out of the project', what => {
    const world = newWorld();
    world.write('~/elsewhere/settings.local.json', '{}');
    if (what === 'folder') symlinkSync(join(world.home, 'elsewhere'), world.pathOf('.claude'));
    else {
      mkdirSync(world.pathOf('.claude'));
      symlinkSync(join(world.home, 'elsewhere/settings.local.json'), world.pathOf(path));
    }
    const ran = world.run(['install', 'claude']);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain('link out of the project');
    expect(readFileSync(join(world.home, 'elsewhere/settings.local.json'), 'utf8')).toBe('{}');
  });

  test('follows the links of a user to the real file, and keeps them', () => {
    const world = newWorld();
    world.write('~/dotfiles/claude.json', '{"a":1}');
    mkdirSync(join(world.home, '.claude'));
    symlinkSync('../dotfiles/claude.json', join(world.home, '.claude/settings.json'));
    world.run(['install', 'claude', '--user']);
    expect(readFileSync(join(world.home, 'dotfiles/claude.json'), 'utf8')).toContain('# hookloop');
    world.run(['uninstall', 'claude', '--user']);
    expect(readFileSync(join(world.home, 'dotfiles/claude.json'), 'utf8')).toBe('{"a":1}');
  });

  test('says what stands in the way of writing', () => {
    const world = newWorld();
    chmodSync(world.write('.claude/x', ''), 0o444);
    chmodSync(world.pathOf('.claude'), 0o555);
    // So that it can be removed.
    onTestFinished(() => chmodSync(world.pathOf('.claude'), 0o755));
    const ran = world.run(['install', 'claude'], { unprivileged: true });
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain('may not be written to, so there can be no ');
  });

  test.each([
    [['install', 'cloude'], 'did you mean claude'],
    [['install', 'claude', '--user', '--shared'], 'exclude each other'],
    [['uninstall'], 'AGENT is missing'],
  ])('%s is wrong usage', (args, text) => {
    const ran = newWorld().run(args);
    expect(ran.exit).toBe(64);
    expect(ran.stderr).toContain(text);
  });

  test('tells with --json which file changed, and how', () => {
    const world = newWorld();
    const { stdout } = world.run(['install', 'qwen', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      agent: 'qwen',
      scope: 'project',
      file: world.pathOf('.qwen/settings.json'),
      changed: true,
      diff: expect.stringContaining('+++ b/.qwen/settings.json'),
    });
  });
});

test.each([
  'install claude',
  'install claude --user',
  'install claude --http',
  'install opencode --user',
  'uninstall claude --user',
])('%s where HOME is a file says so in words, and writes nothing', line => {
  const world = newWorld();
  const file = world.write('~/file', '');
  const { exit, stdout, stderr } = world.run(line.split(' '), { env: { HOME: file } });
  expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^hookloop: (\\S+: )?${file} is not a folder, so there can be no ${file}/\\S+\n$`));
  expect(existsSync(world.pathOf('.claude'))).toBe(false);
});
