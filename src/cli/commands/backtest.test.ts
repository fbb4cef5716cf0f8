import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder, type World } from '../../../test/program.ts';

const folder = temporaryFolder('backtest-command');
let program: string;
beforeAll(async () => {
  program = (await bundleInto(join(folder, 'bin'))).program;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rules = `hooks:
  tool.calling:
    - { deny: Only people push., command: git push, name: no push }
    - { ask: May it delete?, command: rm }
    - { deny: Sources are made by hand., files: "src/**" }
    - { tell: Read less., tool: Read }
`;

const recorded = fileURLToPath(new URL('../../app/backtest/fixtures/', import.meta.url));

/** A world in which the real agents have worked: what they wrote was recorded, and is put where they write it. */
function worldWith(hooks = rules, project?: string): World {
  const world = createWorld(folder, program);
  world.write('hookloop.yaml', hooks);
  for (const [agent, into] of [
    ['claude', '~/.claude/projects/-project'],
    ['codex', '~/.codex/sessions/2026/11/18'],
  ] as const)
    for (const name of readdirSync(join(recorded, agent), { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.jsonl'))
        world.write(
          `${into}/${name}`,
          readFileSync(join(recorded, agent, name), 'utf8').replaceAll('{PROJECT}', project ?? world.project),
        );
  return world;
}

const json = (world: World, ...args: string[]) => {
  const { exit, stdout, stderr } = world.run(['backtest', '--json', ...args]);
  expect(exit, stderr).toBe(0);
  return JSON.parse(stdout);
};

/** A call as Claude Code writes it down. */
const line = (cwd: string, id: string, command: string, at = '2026-11-18T10:00:00.000Z'): string =>
  `${JSON.stringify({
    ...{ type: 'assistant', cwd, sessionId: 's', timestamp: at },
    message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] },
  })}\n`;

describe('what agents have written', () => {
  test('is asked about before anything is installed, each call once, subagents included', () => {
    const world = worldWith();
    const { events, calls, stopped, asked, changed, told } = json(world);
    // Five calls of Claude, which stand in a fork as well, and three of Codex.
    expect({ events, calls, stopped, asked }).toEqual({ events: 8, calls: 8, stopped: 4, asked: 1 });
    expect(changed).toContainEqual({
      ...{
        session: expect.any(String),
        id: 'toolu_2_0',
        at: expect.stringContaining('2026-11-18'),
        event: 'tool.calling',
      },
      ...{ was: 'proceed', now: 'block', by: 'native:hookloop.yaml#tool.calling[0]', agent: 'claude', tool: 'Bash' },
      ...{ about: 'cd . && git push origin main', message: 'Only people push.' },
      rule: { name: 'no push', file: 'hookloop.yaml', line: 3 },
      place: { file: expect.stringContaining('.claude/projects/-project/'), line: expect.any(Number) },
    });
    expect(changed.filter(({ agent }: { agent: string }) => agent === 'codex')).toMatchObject([
      { tool: 'Bash', about: 'cd . && git push origin main', now: 'block' },
      { tool: 'apply_patch', about: world.pathOf('src/made.ts'), now: 'block', rule: { line: 5 } },
    ]);
    expect(changed).toContainEqual(
      expect.objectContaining({ now: 'ask', about: 'rm -rf build', message: 'May it delete?' }),
    );
    expect(told).toMatchObject([{ times: 1 }]);
  });

  test('is shown to people with its place, time, tool, command and rule', () => {
    const { exit, stdout } = worldWith().run(['backtest']);
    expect(exit).toBe(0);
    expect(stdout).toContain('These rules would have stopped 4 of 8 calls, and asked a person about 1.\n');
    expect(stdout).toMatch(
      /^~\/\.codex\/sessions\/2026\/11\/18\/rollout\.jsonl:5 {2}2026-11-18 16:54 {2}codex {2}Bash\n {4}cd \. && git push origin main\n {4}block by hookloop\.yaml:3: Only people push\.\n/m,
    );
    expect(stdout).toContain('hookloop.yaml:6 would have told the agent something 1 time.\n');
  });

  test('counts where it was done in this project, or in a worktree of it', () => {
    const other = worldWith(rules, '/somewhere/else');
    expect(json(other)).toMatchObject({ calls: 0, stopped: 0, skipped: { elsewhere: 8 } });
    expect(other.run(['backtest']).stderr).toContain('8 calls of other projects left out; --all asks about them too');
    expect(json(other, '--all')).toMatchObject({ calls: 8, stopped: 4 });
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', rules);
    const git = 'git -c user.name=n -c user.email=e@x';
    const script = `rm -rf .git && git init -q . && git add . && ${git} commit -qm x && git worktree add -q ../tree && mkdir ../tree/src`;
    expect(world.run([], { shell: script })).toMatchObject({ exit: 0 });
    const tree = join(world.project, '../tree');
    world.write('~/.claude/projects/t/a.jsonl', line(join(tree, 'src'), 'a', 'git push'));
    expect(json(world)).toMatchObject({ calls: 1, stopped: 1 });
  });

  test('is found where the agents are told to write it', () => {
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', rules);
    world.write('~/c/projects/p/a.jsonl', line(world.project, 'a', 'git push'));
    const env = { CLAUDE_CONFIG_DIR: join(world.home, 'c') };
    expect(JSON.parse(world.run(['backtest', '--json'], { env }).stdout)).toMatchObject({ calls: 1, stopped: 1 });
  });

  test('may be named instead: files, whatever they are called, and folders', () => {
    const world = worldWith();
    world.write('mine/notes.txt', line(world.project, 'a', 'git push'));
    world.write('mine/a.jsonl', line(world.project, 'b', 'git push'));
    expect(json(world, 'mine')).toMatchObject({ calls: 1, stopped: 1 });
    expect(json(world, 'mine', 'mine/notes.txt')).toMatchObject({ calls: 2, stopped: 2, sessions: 0 });
    expect(world.run(['backtest', 'gone'])).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('gone: there is no such file or folder'),
    });
  });

  test('may be too old', () => {
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', rules);
    const now = new Date();
    const calls = [
      line(world.project, 'a', 'git push', new Date(now.getTime() - 3 * 86_400_000).toISOString()),
      line(world.project, 'b', 'git push', now.toISOString()),
    ];
    world.write('~/.claude/projects/p/a.jsonl', calls.join(''));
    expect(json(world, '--since', '2d')).toMatchObject({ calls: 1 });
    expect(json(world, '--since', '1w')).toMatchObject({ calls: 2 });
    utimesSync(world.pathOf('~/.claude/projects/p/a.jsonl'), 0, 0);
    expect(json(world, '--since', '1w')).toMatchObject({ calls: 0, transcripts: 0 });
    for (const wrong of ['yesterday', '-3d', '3', '99999999999d', ''])
      expect(world.run(['backtest', `--since=${wrong}`])).toMatchObject({
        exit: 64,
        stderr: expect.stringContaining('30d'),
      });
  });
});

describe('nothing is run', () => {
  test('but what says that it is pure, in this project and with the event as it was', () => {
    const world = worldWith(`hooks:
  tool.calling:
    - { shell: ./no-push.sh, pure: true, tool: Bash }
    - { shell: touch ran, tool: Bash, name: leaves a mark }
    - { judge: Is it good?, tool: Bash }
    - { webhook: "http://127.0.0.1:9/", tool: Bash }
`);
    world.write('no-push.sh', '#!/bin/sh\nif grep -q "git push"; then echo "no: $TOOL" >&2; exit 2; fi\n', 0o755);
    const { stopped, changed, notRun } = json(world);
    expect(stopped).toBe(2);
    expect(changed[0]).toMatchObject({ message: expect.stringContaining('no: Bash'), rule: { line: 3 } });
    expect(notRun).toMatchObject([{ name: 'leaves a mark', times: 2 }, { times: 2 }, { times: 2 }]);
    expect(existsSync(world.pathOf('ran'))).toBe(false);
    expect(world.run(['backtest']).stdout).toContain(
      'hookloop.yaml:4 was not run (leaves a mark), and could have decided 2 times.',
    );
  });

  test('where a hook file has errors: 78, with the place', () => {
    const world = worldWith('hooks:\n  tool.calling:\n    - { deni: no }\n');
    expect(world.run(['backtest'])).toMatchObject({
      exit: 78,
      stdout: '',
      stderr: expect.stringContaining('hookloop.yaml:3'),
    });
  });

  test('and conditions, git events and files of a call count as they would', () => {
    const world = worldWith(`hooks:
  tool.calling:
    - { deny: no, tool: Bash, when: "AGENT == 'codex'" }
  commit.creating:
    - { deny: no commits }
`);
    world.write('~/.claude/projects/p/more.jsonl', line(world.project, 'z', 'git commit -m x'));
    const { changed } = json(world);
    expect(changed.map(({ agent, about }: Record<string, string>) => [agent, about])).toEqual([
      ['claude', 'git commit -m x'],
      ['codex', expect.stringContaining('cat ')],
      ['codex', 'cd . && git push origin main'],
    ]);
  });
});

describe('bad input', () => {
  test('damaged lines, bytes that are no text, endless nesting and strange values are passed over and counted', () => {
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', rules);
    const good = line(world.project, 'a', 'git push');
    const wrong = [
      '{"type":"assistant","tool_use"\n',
      `{"type":"assistant","message":{"content":[{"type":"tool_use","name":${'['.repeat(5000)}\n`,
      '[1,"tool_use"]\n"tool_use"\nnull "tool_use"\n',
      '{"type":"assistant","message":{"content":[null,3,{"type":"tool_use"},{"type":"tool_use","name":7}]},"x":"tool_use"}\n',
      `${JSON.stringify({ type: 'assistant', cwd: 7, timestamp: {}, message: { content: [{ type: 'tool_use', name: 'Bash' }] } })}\n`,
      '{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{"}}\n',
      '{"type":"session_meta","payload":null}\n\n\n',
    ];
    world.write(
      '~/.claude/projects/p/a.jsonl',
      Buffer.concat([
        ...wrong.map(text => Buffer.from(text)),
        Buffer.from([0, 255, 254, 10]),
        Buffer.from(good.trimEnd()),
      ]),
    );
    const { calls, stopped, skipped } = json(world);
    expect({ calls, stopped }).toEqual({ calls: 1, stopped: 1 });
    expect(skipped.damaged).toBe(3);
  });

  test('a line of 100 MB is skipped, with a note, in little memory', () => {
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', rules);
    const good = line(world.project, 'a', 'git push');
    const huge = Buffer.alloc(100 * 1024 * 1024, '"tool_use" ');
    world.write(
      'big.jsonl',
      Buffer.concat([Buffer.from(good), huge, Buffer.from(`\n${line(world.project, 'b', 'git push')}`)]),
    );
    const { exit, stdout, stderr } = world.run(['backtest', 'big.jsonl'], {
      env: { NODE_OPTIONS: '--max-old-space-size=64' },
    });
    expect(exit, stderr).toBe(0);
    expect(stdout).toContain('stopped 2 of 2 calls');
    expect(stdout).toContain('big.jsonl:3');
    expect(stderr).toContain('1 line longer than 32 MiB skipped');
  });

  test('links in a circle, a link to the same file, and what may not be read', () => {
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', rules);
    world.write('t/a.jsonl', line(world.project, 'a', 'git push'));
    symlinkSync('.', world.pathOf('t/round'));
    symlinkSync('a.jsonl', world.pathOf('t/b.jsonl'));
    symlinkSync('nowhere', world.pathOf('t/c.jsonl'));
    world.write('t/secret.jsonl', 'x', 0o000);
    mkdirSync(world.pathOf('t/shut'), { mode: 0o000 });
    const { exit, stdout, stderr } = world.run(['backtest', '--json', 't'], { unprivileged: true });
    expect(exit, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ calls: 1, stopped: 1, unread: [{}, {}] });
    expect(stderr).toContain('t/secret.jsonl was not read: permission denied (EACCES)');
  });

  test('what a call says cannot steer the terminal, and secrets are hidden', () => {
    const world = createWorld(folder, program);
    world.write('hookloop.yaml', rules);
    world.write('t.jsonl', line(world.project, 'a', 'git push \u001b[2J --token hunter2hunter2'));
    const { stdout } = world.run(['backtest', 't.jsonl'], { env: { MY_TOKEN: 'hunter2hunter2' } });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('hunter2hunter2');
  });
});

describe('sessions of our own', () => {
  const script = `turns:
  - tools:
      - { name: Bash, input: { command: echo git push } }
      - { name: Bash, input: { command: echo one } }
      - { name: Bash, input: { command: echo two } }
    text: done
`;
  const before = `agent: scripted:script.yaml
hooks:
  tool.calling:
    - { deny: No two., when: "TOOL == 'Bash'", command: echo two, name: no two }
    - { shell: "! grep -q 'echo one'", tool: Bash, name: slow check }
`;
  const ran = (): World => {
    const world = createWorld(folder, program);
    world.write('script.yaml', script);
    world.write('hookloop.yaml', before);
    expect(world.run(['run', '--prompt', 'go', '--session', 's']).exit).toBe(0);
    return world;
  };

  test('come out as they did where nothing has changed, though nothing is run again', () => {
    const world = ran();
    expect(json(world)).toMatchObject({ calls: 3, changed: [], stopped: 2, stoppedBefore: 2, sessions: 1, notRun: [] });
  });

  test('say what would change: a rule that came, and one that went', () => {
    const world = ran();
    world.write(
      'hookloop.yaml',
      `agent: scripted:script.yaml
hooks:
  tool.calling:
    - { deny: Say nothing., command: echo git, name: quiet }
    - { shell: "! grep -q 'echo one'", tool: Bash, name: slow check }
`,
    );
    const { changed } = json(world);
    expect(changed).toMatchObject([
      { session: 's', was: 'proceed', now: 'block', about: 'echo git push', rule: { name: 'quiet' } },
      { session: 's', was: 'block', now: 'proceed', about: 'echo two', by: 'native:hookloop.yaml#tool.calling[0]' },
    ]);
    const shown = world.run(['backtest']).stdout;
    expect(shown).toContain(`session s #${changed[0].id}`);
    expect(shown).toContain('was proceed, now block by hookloop.yaml:4: Say nothing.');
    expect(world.run(['why', 's', changed[1].id]).stdout).toContain('echo two');
  });
});
