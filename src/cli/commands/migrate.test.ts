import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleHostProgram } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder, type World } from '../../../test/program.ts';

const folder = temporaryFolder('migrate-command');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newWorld = (): World => createWorld(folder, program);
const read = (world: World, path: string): string => readFileSync(world.pathOf(path), 'utf8');
const gates = '["npm test"]';

test('prints the file, tells what it took, and changes nothing', () => {
  const world = newWorld();
  world.write('.sauna/hooks.json', gates);
  const { exit, stdout, stderr } = world.run(['migrate']);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '1 of 1 hook as native ones, from .sauna/hooks.json\n' });
  expect(stdout).toContain("- { shell: npm test, when: ROLE != 'planner', timeout: 10m, on_failure: revise }");
  expect(existsSync(world.pathOf('hookloop.yaml'))).toBe(false);
});

test('a secret in a command is not printed, which is told, and is written as it is', () => {
  const world = newWorld();
  world.write('.sauna/hooks.json', '["curl -H correct-horse-battery x"]');
  const env = { API_TOKEN: 'correct-horse-battery' };
  const { stdout, stderr } = world.run(['migrate'], { env });
  expect(stdout).not.toContain('correct-horse');
  expect(stderr).toContain('secrets are shown as ***; --write keeps them as they are');
  expect(world.run(['migrate', '--write'], { env }).exit).toBe(0);
  expect(readFileSync(world.pathOf('hookloop.yaml'), 'utf8')).toContain('correct-horse-battery');
});

test('never writes over a file, nor over a link to nothing', () => {
  for (const make of [
    (path: string) => writeFileSync(path, 'agent: claude\n'),
    (path: string) => symlinkSync('nowhere', path),
  ]) {
    const world = newWorld();
    world.write('.sauna/hooks.json', gates);
    make(world.pathOf('hookloop.yaml'));
    const ran = world.run(['migrate', '--write', '--remove']);
    expect(ran).toMatchObject({ exit: 1, stderr: expect.stringContaining('already exists; nothing was changed') });
    expect(read(world, '.sauna/hooks.json')).toBe(gates);
    expect(existsSync(world.pathOf('nowhere'))).toBe(false);
  }
});

test('while both files exist check warns, and the old one can be taken away later', () => {
  const world = newWorld();
  world.write('.sauna/hooks.json', gates);
  expect(world.run(['migrate', '--write'])).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('The old files are still there, so these hooks run twice: .sauna/hooks.json'),
  });
  expect(world.run(['check']).stderr + world.run(['check']).stdout).toContain('so it runs twice');
  expect(world.run(['migrate', '--write', '--remove'])).toMatchObject({ exit: 0 });
  expect(existsSync(world.pathOf('.sauna'))).toBe(false);
  expect(world.run(['check'])).toMatchObject({ exit: 0, stderr: expect.stringContaining('no problems') });
});

test('a file with errors is told and left out, and nothing is written', () => {
  const world = newWorld();
  world.write('.sauna/hooks.json', '["npm test"');
  world.write('.iteratr.hooks.yml', 'hooks: { pre_iteration: [{ command: ls }] }\n');
  const shown = world.run(['migrate']);
  expect(shown).toMatchObject({
    exit: 78,
    stderr: expect.stringMatching(/\.sauna\/hooks\.json:1:\d+: error[\s\S]*hookloop check/),
  });
  expect(shown.stdout).toContain('shell: ls');
  expect(world.run(['migrate', '--write'])).toMatchObject({
    exit: 78,
    stderr: expect.stringContaining('Nothing was written'),
  });
  expect(existsSync(world.pathOf('hookloop.yaml'))).toBe(false);
});

test('a folder in place of a hook file is told, not followed', () => {
  const world = newWorld();
  mkdirSync(world.pathOf('.sauna/hooks.json'), { recursive: true });
  expect(world.run(['migrate'])).toMatchObject({ exit: 78, stdout: '' });
});

test('where there is nothing to migrate it says so', () => {
  const world = newWorld();
  expect(world.run(['migrate'])).toEqual({
    ...{ exit: 0, stdout: '' },
    stderr: 'There is nothing to migrate: no hooks of other formats were found here.\n',
  });
  expect(JSON.parse(world.run(['migrate', '--json']).stdout)).toMatchObject({ yaml: null, migrated: [], left: [] });
});

test('what has no equivalent is named by file and line with the reason, in words and as JSON', () => {
  const world = newWorld();
  world.write(
    '.nyzhi/config.toml',
    '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "jq -e .tool_args.ok"\nblock = true\n',
  );
  const why = 'it reads "tool_args" from stdin, which a native hook is not told like this';
  expect(world.run(['migrate']).stderr).toContain(`.nyzhi/config.toml:1: left: jq -e .tool_args.ok: ${why}`);
  expect(JSON.parse(world.run(['migrate', '--json']).stdout)).toMatchObject({
    left: [{ file: '.nyzhi/config.toml', line: 1, hook: 'jq -e .tool_args.ok', why }],
  });
});

test('a script that reads what Claude Code tells it is asked through answers: json and finds it', () => {
  const world = newWorld();
  const guard = `#!/bin/sh\ngrep -q '"tool_input":{"command":"rm' && { echo no >&2; exit 2; }\nexit 0\n`;
  world.write('.claude/guard.sh', guard);
  const entry = { type: 'command', command: 'sh "$CLAUDE_PROJECT_DIR"/.claude/guard.sh' };
  world.write('.claude/settings.json', JSON.stringify({ theme: 'dark', hooks: { PreToolUse: [{ hooks: [entry] }] } }));
  expect(world.run(['migrate', '--write', '--remove'])).toMatchObject({ exit: 0 });
  expect(JSON.parse(read(world, '.claude/settings.json'))).toEqual({ theme: 'dark' });
  const call = (command: string) =>
    world.run(['dispatch', 'tool.calling'], {
      input: JSON.stringify({ tool: 'run_shell_command', input: { command } }),
    });
  expect([call('rm -rf x').exit, call('ls').exit]).toEqual([2, 0]);
});

test('a copy in another file, which counts once the first is gone, is told', () => {
  const world = newWorld();
  const settings = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'make' }] }] } });
  world.write('.claude/settings.json', settings);
  world.write('.claude/settings.local.json', settings);
  expect(world.run(['migrate', '--write', '--remove'])).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining(
      'Kept .claude/settings.local.json: it has one of these hooks too. Its hooks run twice',
    ),
  });
});

test('an agent may look, and not write', () => {
  const world = newWorld();
  world.write('.sauna/hooks.json', gates);
  const env = { CLAUDECODE: '1' };
  expect(world.run(['migrate'], { env }).exit).toBe(0);
  expect(world.run(['migrate', '--write', '--remove'], { env })).toMatchObject({
    exit: 64,
    stderr: expect.stringContaining('migrate --write is for people'),
  });
  expect(read(world, '.sauna/hooks.json')).toBe(gates);
});

test("the rest of nyzhi's file stays letter by letter", () => {
  const world = newWorld();
  const hook = '[[agent.hooks]]\nevent = "after_turn"\ncommand = "make"\n';
  world.write('.nyzhi/config.toml', `# mine\n[model]\nname = "x" # fast\n\n${hook}\n[theme]\ndark = true\n`);
  expect(world.run(['migrate', '--write', '--remove'])).toMatchObject({ exit: 0 });
  expect(read(world, '.nyzhi/config.toml')).toBe('# mine\n[model]\nname = "x" # fast\n\n[theme]\ndark = true\n');
});

test('scripts of babysitter move, with their mode, and run once', () => {
  const world = newWorld();
  world.write('.a5c/hooks/on-score/tell.sh', '#!/bin/sh\necho "$HOOK_TYPE" >> log\n', 0o755);
  expect(world.run(['migrate', '--write', '--remove'])).toMatchObject({ exit: 0 });
  expect(existsSync(world.pathOf('.a5c/hooks/on-score/tell.sh'))).toBe(false);
  expect(world.run(['dispatch', 'score.recorded'], { input: '{}' }).exit).toBe(0);
  expect(read(world, 'log')).toBe('on-score\n');
});

test('a file that holds more than its hooks is kept, and told', () => {
  for (const [path, text] of [
    ['.iteratr.hooks.yml', 'hooks:\n  pre_iteration: [{ command: ls }]\n  on_future: [{ command: ./precious.sh }]\n'],
    ['.sauna/hooks.json', '{ "notes": ["precious"], "hooks": ["npm test"] }'],
  ] as const) {
    const world = newWorld();
    world.write(path, text);
    expect(world.run(['migrate', '--write', '--remove'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('it holds more than these hooks'),
    });
    expect(read(world, path)).toBe(text);
  }
});

test('a script that finds others by its own place stays, whatever its language', () => {
  for (const script of [
    "#!/usr/bin/env node\nrequire('./check.cjs');\n",
    '#!/usr/bin/env python3\nimport os\nos.chdir(os.path.dirname(__file__))\n',
    '#!/bin/sh\n. .a5c/hooks/lib.sh\n',
  ]) {
    const world = newWorld();
    world.write('.a5c/hooks/on-iteration-start/a.sh', script);
    chmodSync(world.pathOf('.a5c/hooks/on-iteration-start/a.sh'), 0o755);
    expect(world.run(['migrate', '--write', '--remove']).stderr).toContain('it finds other files by its own place');
    expect(read(world, '.a5c/hooks/on-iteration-start/a.sh')).toBe(script);
  }
});

test('hooks for all projects become those of the user', () => {
  const world = newWorld();
  mkdirSync(`${world.home}/.config/nyzhi`, { recursive: true });
  writeFileSync(`${world.home}/.config/nyzhi/config.toml`, '[[agent.hooks]]\nevent = "after_turn"\ncommand = "make"\n');
  expect(world.run(['migrate']).stderr).toContain('nothing to migrate');
  expect(world.run(['migrate', '--user', '--write', '--remove'])).toMatchObject({ exit: 0 });
  expect(readFileSync(`${world.home}/.config/hookloop/hooks.yaml`, 'utf8')).toContain('shell: make');
  expect(existsSync(`${world.home}/.config/nyzhi/config.toml`)).toBe(false);
});

test('a thousand hooks, many of one name, keep their order', () => {
  const world = newWorld();
  const hooks = Array.from({ length: 1000 }, (_, at) => ({ command: `echo ${at}`, name: 'same' }));
  world.write('.sauna/hooks.json', JSON.stringify(hooks));
  expect(world.run(['migrate', '--write', '--remove'])).toMatchObject({ exit: 0 });
  const commands = [...read(world, 'hookloop.yaml').matchAll(/shell: echo (\d+)/g)].map(([, at]) => Number(at));
  expect(commands).toEqual(hooks.map((_, at) => at));
  expect(world.run(['check'])).toMatchObject({ exit: 0 });
}, 30_000);

test('--remove without --write is wrong usage', () => {
  expect(newWorld().run(['migrate', '--remove'])).toMatchObject({
    exit: 64,
    stderr: expect.stringContaining('--write'),
  });
});
