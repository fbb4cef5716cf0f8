import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleInto, root, temporaryFolder } from '../../../test/program.ts';
import { type AgentName, agentNames } from '../../hosts/index.ts';
import { claimsFolder } from '../../hosts/sessions/claims.ts';
import { type Answered, createServeWorld, type ServeWorld, texts } from '../fixtures/world.ts';

const folder = temporaryFolder('serve-same');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of the user, who needs no trust for them. */
const hooks = `
[[agent.hooks]]
event = "pre_tool"
command = "input=$(cat); case $input in *rm*|*forbidden*) echo 'no: \\"ü\\"' >&2; exit 1;; esac"
block = true

[[agent.hooks]]
event = "post_tool"
command = "echo seen; env | sort; pwd; umask"

[[agent.hooks]]
event = "after_edit"
command = "echo {file}"

[[agent.hooks]]
event = "after_turn"
command = "echo done"
`;

function worldWith(config = hooks): ServeWorld {
  const world = createServeWorld(folder, program);
  world.write('~/.config/nyzhi/config.toml', config);
  return world;
}

interface Call {
  words: readonly string[];
  input: string | Buffer;
  env?: Readonly<Record<string, string>>;
}

/** By the program itself, then by serve. Both start without memory of the other. */
async function bothWays(world: ServeWorld, calls: readonly Call[]): Promise<readonly [Answered[], Answered[]]> {
  const launchAll = (): Answered[] => calls.map(({ words, input, env }) => world.launch(words, input, env));
  const plain = launchAll();
  const memory = join(world.state, 'hosts');
  for (const place of [claimsFolder(memory), memory]) rmSync(place, { recursive: true, force: true });
  await world.serve();
  // Nothing but serve can answer now.
  const launcher = readFileSync(world.launcher, 'utf8');
  world.write(
    '~/.local/state/hookloop/bin/hookloop',
    launcher.replace(/exec "\$hl_node".*/, `exit ${startsProgram}`),
    0o755,
  );
  return [plain, launchAll()];
}

/** With which the launcher ends in place of starting the program. */
const startsProgram = 99;

async function expectSame(world: ServeWorld, calls: readonly Call[]): Promise<void> {
  const [plain, served] = await bothWays(world, calls);
  for (const [at, each] of served.entries()) {
    const { words, input } = calls[at]!;
    expect({ words, start: `${input}`.slice(0, 200), ...known(each) }).toEqual({
      ...{ words, start: `${input}`.slice(0, 200), ...known(plain[at]!) },
    });
    expect(`${each.stderr}`).not.toContain('went away');
  }
}

/** Every run of a hook has a mark of its own in its environment. */
const known = (answered: Answered) => {
  const { exit, stdout, stderr } = texts(answered);
  return { exit, stdout: stdout.replaceAll(/(HOOKLOOP_MARK=)[\w/-]+/g, '$1'), stderr };
};

const tool = (native: string, command: string, more: object = {}): string =>
  JSON.stringify({ session_id: 's', hook_event_name: native, tool_name: 'Bash', tool_input: { command }, ...more });

describe('an answer of serve is the answer of the program', () => {
  test.each(agentNames)('for real payloads of %s', async agent => {
    const world = worldWith();
    const payloads = recorded(agent).map(({ event, payload }) => ({
      words: ['hook', agent, event],
      input: JSON.stringify({ ...payload, cwd: world.project }),
    }));
    expect(payloads.length).toBeGreaterThan(0);
    await expectSame(world, payloads);
  });

  test('for refusals, feedback and silence', async () => {
    const world = worldWith();
    const calls: Call[] = [
      { words: ['hook', 'claude', 'PreToolUse'], input: tool('PreToolUse', 'echo forbidden') },
      { words: ['hook', 'claude', 'PreToolUse'], input: tool('PreToolUse', 'ls') },
      { words: ['hook', 'claude'], input: tool('PostToolUse', 'ls') },
    ];
    const [plain, served] = await bothWays(world, calls);
    expect(served.map(known)).toEqual(plain.map(known));
    expect(`${served[0]!.stdout}`).toContain('"permissionDecision":"deny"');
    expect(`${served[1]!.stdout}`).toBe('');
    expect(`${served[2]!.stdout}`).toContain('seen');
  });

  test('for whatever comes as a payload', async () => {
    const big = 'x'.repeat(1024 * 1024);
    const inputs = [
      ...['', '  \n', '{', 'null', '[]', '\0', `${tool('PreToolUse', 'ls')}\0`, `${'['.repeat(2000)}`],
      ...[4095, 4096, 4097].map(size =>
        tool('PreToolUse', 'ls', { pad: '' }).replace('"pad":""', `"pad":"${pad(size)}"`),
      ),
      tool('PreToolUse', 'ls', { more: big }),
      tool('PostToolUse', 'ü€😀', { tool_response: { stdout: '\\ \u0001\u007f `$(id)`' } }),
    ];
    const bytes = [
      randomBytes(3000),
      randomBytes(1024 * 1024),
      Buffer.concat([Buffer.alloc(4096, 32), Buffer.from('\0')]),
    ];
    const calls = [...inputs, ...bytes].map(input => ({ words: ['hook', 'claude', 'PreToolUse'], input }));
    expect(inputs.map(input => input.length)).toContain(4096);
    await expectSame(worldWith(), calls);
  });

  test('for every event that an entry may name', () =>
    expectSame(
      worldWith(),
      [
        ['hook', 'claude', 'Unknown'],
        ['hook', 'claude', 'a b\n"c"'],
        ['hook', 'claude', 'PreToolUse', '--from', '/some/where.json'],
      ].map(words => ({ words, input: '{"tool_name":"Bash"}' })),
    ));

  test('the one that the program itself gives for words that no entry has', async () => {
    const calls = [
      ...[['hook'], ['hook', 'nobody'], ['hook', 'claude', 'PreToolUse', 'too much'], ['hook', '--help']],
      ...[
        ['hook', '--wrong', 'claude'],
        ['hook', '-C', '/nowhere', 'claude', 'PreToolUse'],
        ['hook', 'claude', 'PreToolUse', '--from'],
      ],
    ].map(words => ({ words, input: '{"tool_name":"Bash"}' }));
    const [, asked] = await bothWays(worldWith(), calls);
    expect(asked.map(({ exit }) => exit)).toEqual(calls.map(() => startsProgram));
  });

  test('for output larger than a variable should hold, with an exit code of its own', () =>
    expectSame(worldWith(hooks.replace('echo seen', 'head -c 9000 /dev/zero | tr "\\\\0" é')), [
      { words: ['hook', 'claude'], input: tool('PostToolUse', 'ls') },
    ]));

  test('for every environment, which the hooks see as it is', async () => {
    const world = worldWith();
    const link = join(world.home, 'link');
    symlinkSync(world.project, link);
    const call = { words: ['hook', 'claude'], input: tool('PostToolUse', 'ls') };
    const environments: Readonly<Record<string, string>>[] = [
      {
        LINES_OF: 'one\ntwo\n',
        QUOTES: `'"\`$(id)\\`,
        EMPTY: '',
        'odd.name': '1',
        'BASH_FUNC_printf%%': '() { echo caught; }',
      },
      {
        BASH_ENV: world.write('~/bash-env', 'echo from bash env'),
        ENV: '/nowhere',
      },
      { SHLVL: '3', PWD: link, OLDPWD: '/', LC_ALL: 'C', IFS: 'x', node: 'n', _: '/usr/bin/x' },
      { SHLVL: 'none', PWD: '/nowhere', HOOKLOOP_SERVE: 'other', TMPDIR: '/nowhere', NODE_ENV: 'x' },
      { FUNCNEST: '1', TMOUT: '1' },
      { ['__proto__']: 'mine', constructor: 'too' },
    ];
    await expectSame(
      world,
      environments.map(env => ({ ...call, env })),
    );
  });

  test('for hooks of a project, trusted or not, and for a file with errors', async () => {
    const world = createServeWorld(folder, program);
    world.write('.nyzhi/config.toml', hooks);
    const calls = ['PreToolUse', 'PostToolUse', 'Stop'].map(native => ({
      words: ['hook', 'claude', native],
      input: tool(native, 'ls', { cwd: world.project }),
    }));
    await expectSame(world, calls);
    const broken = createServeWorld(folder, program);
    broken.write('.nyzhi/config.toml', '[[agent.hooks]]\nevent = "pre_tool"\nblock = tru');
    await expectSame(broken, calls);
  });
});

/** Of each kind of event the first one that was recorded. */
function recorded(agent: AgentName): { event: string; payload: Record<string, unknown> }[] {
  const place = join(root, 'src/hosts', agent, 'fixtures');
  const lines = readdirSync(place).flatMap(name =>
    readFileSync(join(place, name, 'payloads.jsonl'), 'utf8')
      .trim()
      .split('\n'),
  );
  const all = lines
    .map(line => JSON.parse(line))
    .map(line => ({
      event: String(line.event ?? line.native ?? line.hook_event_name ?? line.payload?.hook_event_name),
      payload: line.payload ?? line,
    }));
  return all.filter(({ event }, at) => all.findIndex(other => other.event === event) === at);
}

const pad = (size: number): string => 'x'.repeat(size - tool('PreToolUse', 'ls', { pad: '' }).length);
