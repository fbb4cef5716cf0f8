import { readFileSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleHostProgram, trust } from './host-program.ts';
import { createWorld, temporaryFolder, type World } from './program.ts';

const folder = temporaryFolder('roots');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gate = `
[[agent.hooks]]
event = "pre_tool"
tool_name = "Bash"
command = "pwd > asked; exit 1"
block = true
`;
const observer = 'hooks:\n  tool.called: [{type: shell, command: echo seen}]\n';

let world: World;
let sub: string;
beforeEach(() => {
  world = createWorld(folder, program);
  world.write('.nyzhi/config.toml', gate);
  world.write('sub/x.txt', '');
  sub = world.pathOf('sub');
});

const dispatch = (args: readonly string[] = []) =>
  world.run(['dispatch', 'tool.calling', ...args], { cwd: sub, input: '{"tool":"Bash","input":{"command":"ls"}}' });

describe('hookloop dispatch in a nested folder', () => {
  test.each([
    ['a settings file without hooks', '.claude/settings.json', '{"permissions":{}}'],
    ['a config.toml without hooks', 'config.toml', '[agent]\nx = 1\n'],
    ['an empty list of gates', '.sauna/hooks.json', '[]'],
    ['hooks of its own', 'hookloop.yaml', observer],
    ['root: true that is not trusted', 'hookloop.yaml', 'root: true\n'],
  ])('asks the gate of the repository whatever is there: %s', (_what, file, text) => {
    world.write(`sub/${file}`, text);
    expect(dispatch().exit).toBe(2);
    expect(readFileSync(world.pathOf('asked'), 'utf8').trim()).toBe(world.project);
  });

  test('asks it no longer where a trusted hookloop.yaml says root: true, with --only as well', () => {
    world.write('sub/hookloop.yaml', `root: true\n${observer}`);
    expect(world.run(['trust', '--yes'], { cwd: sub }).stdout).toContain('root: true');
    expect([dispatch().exit, dispatch(['--only', 'nyzhi']).exit]).toEqual([0, 0]);
    world.write('sub/hookloop.yaml', `root: true\n${observer} # changed\n`.replace('seen', 'other'));
    expect(dispatch().exit).toBe(2);
  });
});

describe('hookloop list in a nested root', () => {
  test('shows the gates of the outer root and where they come from', () => {
    world.write('sub/hookloop.yaml', `root: true\n${observer}`);
    const { stdout } = world.run(['list'], { cwd: sub });
    expect(stdout).toContain('../.nyzhi/config.toml:2');
    expect(stdout).toContain(`The gates of ${world.project} also apply here; its other hooks do not.`);
    expect(stdout).toContain('root: true has no effect until its file is trusted: hookloop trust');
    expect(JSON.parse(world.run(['list', '--json'], { cwd: sub }).stdout)).toMatchObject([
      { file: '../.nyzhi/config.toml', root: world.project },
      { file: 'hookloop.yaml' },
    ]);
  });
});

describe('the session of an agent', () => {
  const call = (session: string) =>
    world.run(['hook', 'claude', 'PreToolUse'], {
      cwd: sub,
      env: { CLAUDE_PROJECT_DIR: sub },
      input: JSON.stringify({
        ...{ session_id: session, hook_event_name: 'PreToolUse', cwd: sub, tool_name: 'Bash' },
        tool_input: { command: `echo ${Math.random()}` },
      }),
    }).stdout;

  test.each([
    ['a repository', 'sub/.git/HEAD', ''],
    ['a trusted root: true', 'sub/hookloop.yaml', `root: true\n${observer}`],
  ])(
    'keeps the gates that it began with when %s appears, and another session has what is there',
    (_what, file, text) => {
      trust(world);
      expect(call('a')).toContain('deny');
      world.write(file, text);
      expect(world.run(['trust', '--yes'], { cwd: sub })).toMatchObject({ exit: 0 });
      expect(call('a')).toContain('deny');
      expect(call('b')).toBe('');
    },
  );
});

test('a session that is resumed keeps the gates of the outer roots that it began with', () => {
  world.write('.sauna/hooks.json', '["test -e pass"]');
  world.write('sub/hookloop.yaml', observer);
  world.write('sub/tasks.md', '- [ ] one\n');
  const agent = "command:sed -i 's/\\[ \\]/[x]/' tasks.md";
  const first = world.run(['run', '--tasks', 'tasks.md', '--agent', agent, '--session', 's', '--max-retries', '0'], {
    cwd: sub,
  });
  expect(first.exit).toBe(1);
  world.write('sub/.git/HEAD', '');
  expect(world.run(['resume', 's'], { cwd: sub }).exit).toBe(1);
  world.write('pass', '');
  expect(world.run(['resume', 's'], { cwd: sub })).toMatchObject({ exit: 0 });
});

test('a compiled plan notices links that come and go in place of a hook file', () => {
  expect(dispatch().exit).toBe(2);
  world.write('elsewhere.json', '[]');
  symlinkSync('nowhere.json', join(world.project, 'hookloop.yaml'));
  expect(dispatch()).toMatchObject({ exit: 78, stderr: expect.stringContaining('is a link to nothing') });
  unlinkSync(join(world.project, 'hookloop.yaml'));
  expect(dispatch().exit).toBe(2);
});
