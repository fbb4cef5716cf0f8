import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleHostProgram } from '../../../test/host-program.ts';
import { createWorld, type Ran, temporaryFolder, type World } from '../../../test/program.ts';
import { isOwnCommand, ownCommand } from '../../model/own-entry.ts';
import { plainLauncher } from '../../serve/launcher.ts';
import { type AgentName, agentNames } from '../index.ts';

const folder = temporaryFolder('install-gone');
let shared: string;
beforeAll(async () => {
  shared = await bundleHostProgram(join(folder, 'shared'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files: Readonly<Partial<Record<AgentName, string>>> = {
  claude: '.claude/settings.local.json',
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  qwen: '.qwen/settings.json',
  cursor: '.cursor/hooks.json',
  copilot: '.github/copilot/settings.local.json',
};
const agents = agentNames.filter(agent => files[agent] !== undefined);

interface Installed {
  world: World;
  launcher: string;
  /** The folder of the program, which is this test's own. */
  bin: string;
  commands: readonly string[];
  call(command: string, shell?: string): Ran;
}

function installed(agent: AgentName, ...options: string[]): Installed {
  const { world, bin } = withProgram();
  expect(world.run(['install', agent, ...options])).toMatchObject({ exit: 0 });
  const text = readFileSync(
    world.pathOf(options.includes('--shared') ? '.claude/settings.json' : files[agent]!),
    'utf8',
  );
  const commands = [...text.matchAll(/"(?:command|bash)": ("(?:[^"\\]|\\.)*")/g)].map(([, found]) =>
    JSON.parse(found!),
  );
  expect(commands.length).toBeGreaterThan(4);
  const launcher = join(world.home, '.local/state/hookloop/bin/hookloop');
  const payload = JSON.stringify({ cwd: world.project, tool_name: 'Bash', toolName: 'bash', prompt: 'x' });
  const call = (command: string, shell = 'sh'): Ran =>
    world.run([command], { shell: `exec ${shell} -c "$0"`, input: payload });
  return { world, launcher, bin, commands, call };
}

function withProgram(): { world: World; bin: string } {
  const bin = join(folder, `bin-${Math.random().toString(36).slice(2)}`);
  cpSync(dirname(shared), bin, { recursive: true });
  return { world: createWorld(folder, join(bin, 'hookloop.cjs')), bin };
}

const isGate = / (PreToolUse|BeforeTool|preToolUse|UserPromptSubmit|BeforeAgent|beforeSubmitPrompt)( |$)/;

const refused = 'hookloop did not answer, so this is refused';

const goneFrom = (file: string): string =>
  `; install hookloop again (npm install --global hookloop), or remove the hooks that end in # hookloop from ${file}`;

type Damage = (installed: Installed) => void;

/** What every entry says, whatever its event is, and that gates refuse while the others let go. */
function expectTold(found: Installed, file: string, what: string | RegExp, commands = found.commands): void {
  for (const command of commands) {
    const { exit, stdout, stderr } = found.call(command);
    const [first = '', ...more] = stderr.trimEnd().split('\n');
    const isRefusing = isGate.test(command);
    expect({ command, exit, stdout, more, stderr }).toEqual({
      ...{ command, stdout: '', stderr },
      ...(isRefusing ? { exit: 2, more: [refused] } : { exit: 1, more: [] }),
    });
    expect(first.endsWith(goneFrom(file)), first).toBe(true);
    expect(first.slice(0, -goneFrom(file).length)).toMatch(what);
    expect(isOwnCommand(command)).toBe(true);
  }
  expect(commands.some(command => isGate.test(command))).toBe(true);
}

const halve = (file: string): void => truncateSync(file, Math.floor(statSync(file).size / 2));
const empty = (file: string): void => truncateSync(file, 0);

describe('an entry whose launcher is gone', () => {
  test.each(agents)('of %s says so, refuses tools and prompts, and lets go of the rest', agent => {
    const found = installed(agent);
    rmSync(found.launcher);
    expectTold(found, files[agent]!, `hookloop: ${found.launcher} is gone or empty`);
  });

  test.each(['bash', 'dash'])('or empty does so in %s, whose own words agents take for nothing', shell => {
    const found = installed('claude');
    empty(found.launcher);
    const call = (command: string): Ran => found.call(command, shell);
    expectTold({ ...found, call }, files.claude!, `hookloop: ${found.launcher} is gone or empty`);
  });

  test('by half refuses tools and prompts, and lets go of the rest', () => {
    const found = installed('claude');
    halve(found.launcher);
    for (const command of found.commands) expect(found.call(command).exit).toBe(isGate.test(command) ? 2 : 1);
  });

  test('does so where hookloop is looked for on PATH', () => {
    const found = installed('claude', '--shared');
    expectTold(found, '.claude/settings.json', 'hookloop: it is not on PATH, or empty');
  });

  const onPath: readonly [what: string, damage: Damage, said: RegExp][] = [
    ['empty', ({ bin }) => empty(join(bin, 'hookloop.cjs')), /^hookloop: it is not on PATH, or empty$/],
    ['without its main part', ({ bin }) => rmSync(join(bin, 'main.cjs')), /main\.cjs is gone$/],
  ];
  test.each(onPath)('does so where the hookloop on PATH is %s', (_what, damage, said) => {
    const found = installed('claude', '--shared');
    const folderOnPath = join(found.world.home, 'bin');
    mkdirSync(folderOnPath);
    symlinkSync(join(found.bin, 'hookloop.cjs'), join(folderOnPath, 'hookloop'));
    const env = { PATH: `${folderOnPath}:${process.env['PATH']}` };
    const call = (command: string): Ran => found.world.run([command], { shell: 'exec sh -c "$0"', input: '{}', env });
    damage(found);
    expectTold({ ...found, call }, '.claude/settings.json', said);
  });
});

describe('an entry says in one sentence, without a stack trace, that', () => {
  const partly: readonly [what: string, damage: Damage, said: RegExp][] = [
    ['its program was moved', ({ bin }) => renameSync(bin, `${bin}.moved`), /hookloop\.cjs is gone or empty$/],
    ['its program is empty', ({ bin }) => empty(join(bin, 'hookloop.cjs')), /hookloop\.cjs is gone or empty$/],
    ['its program was cut off', ({ bin }) => halve(join(bin, 'hookloop.cjs')), /hookloop\.cjs is broken$/],
    [
      'Node was removed',
      ({ world, launcher }) => {
        const text = readFileSync(launcher, 'utf8');
        world.write(
          '~/.local/state/hookloop/bin/hookloop',
          text.replaceAll(process.execPath, '/no/node').replace('type -P node', 'type -P no-node'),
          0o755,
        );
      },
      /^hookloop: Node is gone$/,
    ],
    ['its main part was deleted', ({ bin }) => rmSync(join(bin, 'main.cjs')), /main\.cjs is gone$/],
    ['its main part is empty', ({ bin }) => empty(join(bin, 'main.cjs')), /main\.cjs is broken$/],
    ['its main part was cut off', ({ bin }) => halve(join(bin, 'main.cjs')), /main\.cjs is broken$/],
    [
      'a later part was deleted',
      ({ bin }) => rmSync(join(bin, 'hosts-answering.cjs')),
      /hosts-answering\.cjs is gone$/,
    ],
    ['a later part is empty', ({ bin }) => empty(join(bin, 'hosts-answering.cjs')), /hosts-answering\.cjs is broken$/],
    [
      'a later part was cut off',
      ({ bin }) => halve(join(bin, 'hosts-answering.cjs')),
      /hosts-answering\.cjs is broken$/,
    ],
  ];

  test.each(partly)('%s', (_what, damage, said) => {
    const found = installed('claude');
    damage(found);
    expectTold(found, files.claude!, said);
  });

  test('any of that with the launcher of systems without bash', () => {
    for (const [, damage, said] of partly.filter(([what]) => what !== 'Node was removed')) {
      const found = installed('claude');
      const program = join(found.bin, 'hookloop.cjs');
      const [lastLine] = /[^\n]*\n$/.exec(readFileSync(program, 'utf8'))!;
      const parts = { node: process.execPath, program, state: dirname(dirname(found.launcher)) };
      const text = plainLauncher({ ...parts, lastLine: `'${lastLine}'` });
      found.world.write('~/.local/state/hookloop/bin/hookloop', text, 0o755);
      const stop = found.commands.find(text => text.includes(' Stop '))!;
      expect(found.call(stop), 'as long as it is whole').toEqual({ exit: 0, stdout: '', stderr: '' });
      damage(found);
      expectTold(found, files.claude!, said, [stop, found.commands.find(text => text.includes(' PreToolUse '))!]);
    }
  });

  const laterParts = ['hooks-plan-compile.cjs', 'config-yaml.cjs'];
  test.each(
    laterParts.flatMap(part => [
      [part, 'deleted', (file: string) => rmSync(file), 'gone'] as const,
      [part, 'empty', empty, 'broken'] as const,
      [part, 'cut off', halve, 'broken'] as const,
    ]),
  )('%s was %s, also where it answers the agent', (part, _how, damage, word) => {
    const found = installed('claude');
    found.world.write('hookloop.yaml', 'hooks:\n  tool.calling:\n    - "true"\n');
    damage(join(found.bin, part));
    const said = `${join(found.bin, part)} is ${word}${goneFrom(files.claude!)}`;
    for (const event of ['PreToolUse', 'Stop']) {
      const { exit, stdout, stderr } = found.call(found.commands.find(text => text.includes(` ${event} `))!);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: `hookloop: no hook was run: ${said}\n` });
      if (event === 'Stop') expect(stdout).toBe('');
      else
        expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringContaining(said),
        });
    }
  });
});

test('entries that 0.1.0 wrote are still ours', () => {
  for (const command of [
    '/home/me/.local/state/hookloop/bin/hookloop hook claude PreToolUse || exit 2 # hookloop',
    "'/home/it'\\''s/bin/hookloop' hook codex Stop # hookloop",
  ])
    expect(isOwnCommand(command)).toBe(true);
});

const parts = { words: 'hook claude Stop', file: 'b', refuses: false };
const entry = ownCommand({ program: '/a', ...parts });
const entryOnPath = ownCommand({ program: 'hookloop', ...parts });

test.each([
  entry.replace('&& /a hook', '&& /b hook'),
  entry.replace(' --from', '; touch x --from'),
  entry.replace('exit 1', 'exit 0'),
  entry.replace(/ # hookloop$/, " || sh -c 'touch x' # hookloop"),
  entryOnPath.replaceAll(/hookloop(?= hook|\))/g, 'sh'),
])('a command that only looks like ours is not: %s', command => {
  expect(isOwnCommand(command)).toBe(false);
});
