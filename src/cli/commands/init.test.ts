import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder, type World } from '../../../test/program.ts';
import { answerAtTerminal, hasPty } from './fixtures/answers.ts';

const folder = temporaryFolder('init');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(join(folder, 'bin')));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** No agent of this machine is found on PATH. */
const bare = { env: { PATH: '/usr/bin:/bin' } };
const newWorld = (files: Readonly<Record<string, string>> = {}): World => {
  const world = createWorld(folder, program);
  for (const [path, text] of Object.entries(files)) world.write(path, text);
  return world;
};
const written = (world: World): string => readFileSync(world.pathOf('hookloop.yaml'), 'utf8');
const gatesOf = (world: World): string[] => {
  const { stdout } = world.run(['list', '--json']);
  const hooks = JSON.parse(stdout) as { event: string; action: { command?: string } }[];
  return hooks.filter(({ event }) => event === 'task.completing').map(({ action }) => action.command!);
};
const poetryGates = ['poetry run pytest', 'poetry run mypy .'];
const scripts = (all: Readonly<Record<string, string>>, more: object = {}): string =>
  JSON.stringify({ scripts: all, ...more });

describe('init --yes writes a file that check accepts, with the gates of', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['npm', { 'package.json': scripts({ test: 'x', lint: 'y' }) }, ['npm test', 'npm run lint']],
    ['pnpm', { 'package.json': scripts({ test: 'x' }), 'pnpm-lock.yaml': '' }, ['pnpm test']],
    ['yarn', { 'package.json': scripts({ lint: 'x' }), 'yarn.lock': '' }, ['yarn run lint']],
    ['bun', { 'package.json': scripts({ test: 'x' }), 'bun.lock': '' }, ['bun run test']],
    ['a named manager', { 'package.json': scripts({ test: 'x' }, { packageManager: 'pnpm@9.1.0' }) }, ['pnpm test']],
    ['pytest', { 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff]\n' }, ['pytest', 'ruff check']],
    [
      'tools that a Python project depends on',
      { 'pyproject.toml': '[project.optional-dependencies]\ndev = ["pytest>=8", "ruff", "mypy-extensions"]\n' },
      ['pytest', 'ruff check'],
    ],
    ['poetry', { 'pyproject.toml': 'pytest = "^8"\nmypy = "*"\n', 'poetry.lock': '' }, poetryGates],
    ['requirements', { 'requirements-dev.txt': 'pytest==8.0\nruff-lsp\n' }, ['pytest']],
    ['uv', { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'uv.lock': '' }, ['uv run pytest']],
    ['tox', { 'tox.ini': '[tox]\n' }, ['tox']],
    ['Rust', { 'Cargo.toml': '[package]\n', 'clippy.toml': '' }, ['cargo test', 'cargo clippy -- -D warnings']],
    ['Go', { 'go.mod': 'module x\n' }, ['go test ./...', 'go vet ./...']],
    ['make', { Makefile: 'test: all\n\tx\nlint:\n\tx\nfoo := 1\n' }, ['make test', 'make lint']],
    [
      'two languages',
      { 'package.json': scripts({ test: 'x' }), 'go.mod': '' },
      ['npm test', 'go test ./...', 'go vet ./...'],
    ],
    [
      'npm where make would run the same',
      { 'package.json': scripts({ test: 'x' }), Makefile: 'test:\n' },
      ['npm test'],
    ],
    [
      'none where npm test is only a placeholder',
      { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }) },
      [],
    ],
    ['none where tests never end', { 'package.json': scripts({ test: 'jest --watch' }) }, []],
    ['none where package.json is not JSON', { 'package.json': '{"scripts": {"test"' }, []],
    ['none where scripts are no mapping', { 'package.json': '{"scripts": ["test"]}' }, []],
    ['nothing at all', {}, []],
  ])('%s', (_what, files, gates) => {
    const world = newWorld(files);
    const { exit, stdout, stderr } = world.run(['init', '--yes'], bare);
    expect([exit, stdout]).toEqual([0, '']);
    expect(stderr).toContain('Wrote hookloop.yaml:');
    expect(world.run(['check'])).toMatchObject({ exit: 0, stdout: '' });
    expect(gatesOf(world)).toEqual(gates);
    expect(written(world)).toContain('command: "git push"');
    expect(readdirSync(world.project).filter(name => name.endsWith('.tmp'))).toEqual([]);
  });
});

test('an agent used by hand may end its turn when the tests pass; in hookloop run the end of the task asks for that', () => {
  const world = newWorld({ Makefile: 'test:\n\texit 1\n' });
  world.run(['init', '--yes'], bare);
  expect(world.run(['try', 'turn.ending'])).toMatchObject({ exit: 2, stdout: expect.stringContaining('make test') });
  expect(world.run(['try', 'turn.ending', 'stage=work']).exit).toBe(0);
});

test('every idea in the comments is one that check accepts', () => {
  const world = newWorld({ 'package.json': scripts({ test: 'x' }) });
  world.run(['init', '--yes'], bare);
  const taken = written(world)
    .replace('# agent: claude', 'agent: claude')
    .replaceAll(/^ {2}# (turn\.ending:|iteration\.starting:| {2}- )/gm, '  $1');
  world.write('hookloop.yaml', taken);
  expect(world.run(['check'])).toMatchObject({ exit: 0, stdout: '', stderr: expect.stringContaining('4 hooks') });
});

test('init says what it could not use', () => {
  const world = newWorld({ 'package.json': '{' });
  expect(world.run(['init', '--yes'], bare).stderr).toContain('package.json is not a JSON object');
});

test('the file names the agent that was found, and what to run next for it', () => {
  const world = newWorld();
  world.write('~/bin/claude', '#!/bin/sh\n', 0o755);
  const { stderr } = world.run(['init', '--yes'], { env: { PATH: `${world.home}/bin:/usr/bin:/bin` } });
  expect(written(world)).toMatch(/^agent: claude$/m);
  expect(stderr).toContain('hookloop trust');
  expect(stderr).toContain('hookloop install claude');
});

test('--agent names another one, and one that no one knows is wrong usage', () => {
  const world = newWorld();
  expect(world.run(['init', '--yes', '--agent', 'claud'], bare)).toMatchObject({
    exit: 64,
    stderr: expect.stringContaining('did you mean claude?'),
  });
  expect(world.run(['init', '--yes', '--agent', 'command:my agent "x": #1'], bare).exit).toBe(0);
  expect(world.run(['check'])).toMatchObject({ exit: 0, stdout: '' });
  expect(written(world)).toContain('agent: "command:my agent \\"x\\": #1"');
});

test('editors find the schema where the package is installed', () => {
  const world = newWorld({ 'node_modules/hookloop/schema/native.schema.json': '{}' });
  world.run(['init', '--yes'], bare);
  expect(written(world)).toMatch(
    /^# yaml-language-server: \$schema=\.\/node_modules\/hookloop\/schema\/native\.schema\.json\n/,
  );
});

test('hooks of other formats are named, and they stay as they are', () => {
  const world = newWorld({ '.sauna/hooks.json': '["true"]', '.claude/settings.json': '{}' });
  const { stderr } = world.run(['init', '--yes'], bare);
  expect(stderr).toContain('Hooks that also apply: .sauna/hooks.json\n');
});

test('ten thousand files, and package.json as a link, a folder or a giant, do not matter', () => {
  const world = newWorld({ 'go.mod': '' });
  mkdirSync(world.pathOf('package.json'));
  mkdirSync(world.pathOf('src'));
  for (let at = 0; at < 10_000; at += 1) writeFileSync(world.pathOf(`${at % 2 ? 'src/' : ''}file-${at}.txt`), '');
  symlinkSync('/dev/zero', world.pathOf('Makefile'));
  world.write('pyproject.toml', '['.repeat(2 * 1024 * 1024));
  const { exit, stderr } = world.run(['init', '--yes'], bare);
  expect(exit).toBe(0);
  for (const name of ['package.json', 'pyproject.toml', 'Makefile'])
    expect(stderr).toMatch(new RegExp(`^Note: ${name} is `, 'm'));
  expect(gatesOf(world)).toEqual(['go test ./...', 'go vet ./...']);
});

test('the file is that of the nearest project, wherever in it one is', () => {
  const world = newWorld({ 'packages/a/package.json': scripts({ test: 'x' }), 'packages/a/src/x.js': '' });
  const cwd = world.pathOf('packages/a/src');
  expect(world.run(['init', '--yes'], { ...bare, cwd }).stderr).toContain('Wrote ../hookloop.yaml:');
  expect(readFileSync(world.pathOf('packages/a/hookloop.yaml'), 'utf8')).toContain('- npm test');
});

test('--json tells what was written', () => {
  const world = newWorld({ 'go.mod': '' });
  const { stdout, stderr } = world.run(['init', '--yes', '--json'], bare);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    file: world.pathOf('hookloop.yaml'),
    agent: null,
    gates: [{ command: 'go test ./...', from: 'go.mod' }, { command: 'go vet ./...' }],
  });
});

describe('nothing is changed', () => {
  test.each<[string, (path: string) => void, string]>([
    ['by a file', path => writeFileSync(path, 'mine'), 'hookloop.yaml already exists'],
    ['by a folder', path => mkdirSync(path), 'hookloop.yaml exists, and is a folder'],
    ['by a link to nothing', path => symlinkSync('nowhere', path), 'hookloop.yaml exists, and is a link to nothing'],
  ])('where the place is taken %s: exit code 1, asked or not', (_by, make, message) => {
    const world = newWorld();
    make(world.pathOf('hookloop.yaml'));
    for (const args of [['init'], ['init', '--yes']]) {
      const { exit, stderr } = world.run(args, bare);
      expect([exit, stderr]).toEqual([1, expect.stringContaining(message)]);
    }
    expect(readdirSync(world.project).sort()).toEqual(['.git', 'hookloop.yaml']);
  });

  test('without a terminal to ask on: 64', () => {
    const world = newWorld();
    expect(world.run(['init'], bare)).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('hookloop init --yes'),
    });
    expect(readdirSync(world.project)).toEqual(['.git']);
  });

  test('in a folder that cannot be read', () => {
    const world = newWorld();
    chmodSync(world.project, 0o000);
    onTestFinished(() => chmodSync(world.project, 0o777));
    const args = ['init', '--yes', '-C', world.project];
    const { exit, stderr } = world.run(args, { ...bare, cwd: world.home, unprivileged: true });
    expect([exit, stderr]).toEqual([
      1,
      'hookloop init: hookloop.yaml cannot be read: permission denied; nothing was changed.\n',
    ]);
  });

  test('in a folder that cannot be written', () => {
    const world = newWorld();
    chmodSync(world.project, 0o555);
    onTestFinished(() => chmodSync(world.project, 0o777));
    const { exit, stderr } = world.run(['init', '--yes'], { ...bare, unprivileged: true });
    expect([exit, stderr]).toEqual([1, expect.stringContaining('nothing was written')]);
    expect(stderr).toContain('permission denied');
    expect(readdirSync(world.project)).toEqual(['.git']);
  });
});

describe.runIf(hasPty)('on a terminal', () => {
  const answer = (world: World, answers: Parameters<typeof answerAtTerminal>[2]) =>
    answerAtTerminal(world, [program, 'init'], answers);

  test('three questions are asked, each until it has an answer', async () => {
    const world = newWorld({ 'package.json': scripts({ test: 'x', lint: 'y' }) });
    const { exit, printed } = await answer(world, [
      ['opencode or none? [none]', 'clod\n'],
      ['"clod" is not an agent', 'codex\n'],
      ['Must npm test and npm run lint pass before a task is done? [Y/n]', 'perhaps\n'],
      ['Please answer y or n.', '\n'],
      ['Keep agents from running git push? [Y/n]', 'n\n'],
    ]);
    expect(exit).toBe(0);
    expect(printed).toContain('hookloop try task.completing');
    expect(written(world)).toMatch(/^agent: codex$/m);
    expect(written(world)).toContain('  # tool.calling:');
    expect(gatesOf(world)).toEqual(['npm test', 'npm run lint']);
  });

  test('a command that is typed is the gate, and Enter takes the rest', async () => {
    const world = newWorld();
    const { exit } = await answer(world, [
      ['or none? [none]', '\n'],
      ['Which command must pass', 'make -C app "check": all\n'],
      ['git push?', '\n'],
    ]);
    expect(exit).toBe(0);
    expect(world.run(['check'])).toMatchObject({ exit: 0, stdout: '' });
    expect(gatesOf(world)).toEqual(['make -C app "check": all']);
  });

  test.each([
    ['Ctrl-D', '\x04', 1],
    ['Ctrl-C', '\x03', 130],
  ])('%s in the middle writes nothing', async (_key, typed, code) => {
    const world = newWorld();
    const { exit } = await answer(world, [
      ['or none? [none]', '\n'],
      ['Which command must pass', typed],
    ]);
    expect(exit).toBe(code);
    expect(readdirSync(world.project)).toEqual(['.git']);
  });

  test('no question is asked where a file is there', async () => {
    const world = newWorld({ 'hookloop.yaml': 'mine' });
    const { exit, printed } = await answer(world, []);
    expect([exit, printed]).toEqual([
      1,
      expect.stringMatching(/^hookloop init: hookloop\.yaml already exists; nothing/),
    ]);
    expect(written(world)).toBe('mine');
  });
});
