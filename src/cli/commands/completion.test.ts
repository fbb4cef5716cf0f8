import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder, type World } from '../../../test/program.ts';
import { dialectNames, eventNames } from '../../model/index.ts';
import { type Surroundings, shells } from '../completion/fixtures/shells.ts';
import { commands } from './index.ts';

const folder = temporaryFolder('completion');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(join(folder, 'bin')));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A project with sessions, and `hookloop` on the PATH of its shells. */
function newWorld(shell: keyof typeof shells): { world: World; surroundings: Surroundings } {
  const world = createWorld(folder, program);
  for (const name of ['first-run', 'first-try', 'second'])
    world.write(`.hookloop/sessions/${name}/journal.jsonl`, '{}\n');
  world.write('~/bin/hookloop', `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, 0o755);
  const { exit, stdout, stderr } = world.run(['completion', shell]);
  expect([exit, stderr]).toEqual([0, '']);
  const env = { PATH: `${world.home}/bin:${process.env['PATH']}`, HOME: world.home, LANG: 'C.UTF-8', TERM: 'xterm' };
  const script = world.write(`~/script.${shell}`, stdout);
  return { world, surroundings: { script, env, cwd: world.project, folder: world.home } };
}

const names = commands.map(({ name }) => name);
const sessions = ['first-run', 'first-try', 'second'];
const beginning = (text: string, all: readonly string[]): string[] => all.filter(one => one.startsWith(text)).sort();

/** A line, and what it can go on with. */
const offers: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['hookloop re', beginning('re', names)],
  ['hookloop help comp', ['completion']],
  ['hookloop run --max-it', ['--max-iterations']],
  ['hookloop --vers', ['--version']],
  ['hookloop --json check --no', ['--no-color']],
  ['hookloop run --permissions ', ['allow', 'ask']],
  ['hookloop run --permissions a', ['allow', 'ask']],
  ['hookloop run --set a=b --agent c', ['claude', 'codex']],
  ['hookloop try tool.calling --only ', [...dialectNames].sort()],
  ['hookloop install cu', ['cursor']],
  ['hookloop completion ', ['bash', 'fish', 'zsh']],
  ['hookloop task l', ['list']],
  ['hookloop dispatch tool.', beginning('tool.', eventNames)],
  ['hookloop try task.c', beginning('task.c', eventNames)],
  ['hookloop show ', sessions],
  ['hookloop show first', ['first-run', 'first-try']],
  ['hookloop show first-run', ['first-run']],
  ['hookloop --no-color log f', ['first-run', 'first-try']],
  ['hookloop task list --session s', ['second']],
  ['hookloop test --record s', ['second']],
  ['hookloop -C /nowhere-at-all show s', []],
  ['hookloop -C "sub folder" show s', ['second-project']],
  ['hookloop show -C ~/other s', ['second-home']],
  ['hookloop run --prompt s', []],
  ['hookloop run --session s', []],
  ['hookloop nonsense s', []],
];

describe.each(['bash', 'zsh', 'fish'] as const)('%s', shell => {
  test('completes commands, options, values, sessions and events', () => {
    const { world, surroundings } = newWorld(shell);
    mkdirSync(world.pathOf('sub folder/.git'), { recursive: true });
    mkdirSync(world.pathOf('sub folder/.hookloop/sessions/second-project'), { recursive: true });
    mkdirSync(world.pathOf('~/other/.hookloop/sessions/second-home'), { recursive: true });
    const found = shells[shell](
      offers.map(([line]) => line),
      surroundings,
    );
    expect(offers.map(([line], at) => [line, found[at]])).toEqual(offers);
  });

  test('completes every command, and every option of each', () => {
    const { surroundings } = newWorld(shell);
    const lines = ['hookloop ', ...names.map(name => `hookloop ${name} --`)];
    const [offeredNames, ...offeredOptions] = shells[shell](lines, surroundings);
    expect(names.filter(name => !offeredNames!.includes(name))).toEqual([]);
    for (const [at, { name, options }] of commands.entries())
      expect([name, offeredOptions[at]]).toEqual([
        name,
        ['directory', 'help', 'json', 'no-color', ...Object.keys(options ?? {})].map(option => `--${option}`).sort(),
      ]);
  });

  test('runs nothing that a folder, a file or a line holds', () => {
    const { world, surroundings } = newWorld(shell);
    const hostile = ['$(touch pwned)', '`touch pwned`', ';touch pwned;', 'a b', 'a\nb', '*', "'", '"', '-x', '~', 'é'];
    for (const name of hostile) {
      mkdirSync(world.pathOf(`.hookloop/sessions/${name}`), { recursive: true });
      writeFileSync(world.pathOf(name), '');
    }
    const before = readdirSync(world.project).sort();
    const [offered] = shells[shell](
      [
        'hookloop show ',
        'hookloop show $(touch\\ pwned)',
        "hookloop -C '$(touch pwned)' show ",
        'hookloop -C $(touch\\ pwned) show ',
        'hookloop run --tasks ',
        'hookloop -C ',
      ],
      surroundings,
    );
    expect(offered).toEqual(sessions);
    expect(readdirSync(world.project).sort()).toEqual(before);
  });

  test('the script itself runs nothing of the program before a session is wanted', () => {
    const { world, surroundings } = newWorld(shell);
    world.write('~/bin/hookloop', '#!/bin/sh\ntouch ran\n', 0o755);
    shells[shell](['hookloop r', 'hookloop run --agent ', 'hookloop dispatch '], surroundings);
    expect(readdirSync(world.project)).not.toContain('ran');
    shells[shell](['hookloop show '], surroundings);
    expect(readdirSync(world.project)).toContain('ran');
  });
});

test('zsh finds the script as a file on its path of functions', () => {
  const { world, surroundings } = newWorld('zsh');
  renameSync(surroundings.script, join(world.home, '_hookloop'));
  const lines = ['hookloop comp', 'hookloop show first', 'hookloop run --agent c'];
  expect(shells.zsh(lines, { ...surroundings, script: '' })).toEqual([
    ['completion'],
    ['first-run', 'first-try'],
    ['claude', 'codex'],
  ]);
});

const hasPty = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

test.runIf(hasPty)('at the prompt of a bash, files are completed and quoted', async () => {
  const { world, surroundings } = newWorld('bash');
  world.write('tasks $(touch pwned).md', '- [ ] x\n');
  world.write('~/bin/hookloop', '#!/bin/sh\nprintf "<%s>" "$@"\n', 0o755);
  const shell = spawn('script', ['-qec', 'bash --norc -i', '/dev/null'], {
    cwd: world.project,
    env: { ...surroundings.env, PS1: '' },
  });
  onTestFinished(() => void shell.kill('SIGKILL'));
  shell.stdin.write(`source ${surroundings.script}\nhookloop run --tasks ta\t\n`);
  let printed = '';
  for await (const chunk of shell.stdout) {
    printed += String(chunk);
    if (printed.includes('<run><--tasks>')) break;
  }
  expect(printed).toContain('<run><--tasks><tasks $(touch pwned).md>');
  expect(readdirSync(world.project)).not.toContain('pwned');
});

test.each([
  [['completion', 'bsh'], 'there is no completion for "bsh"; did you mean bash?'],
  [['completion', 'tcsh'], 'there is no completion for "tcsh"; known: bash, zsh, fish'],
  [['completion', ''], 'there is no completion for ""; known: bash, zsh, fish'],
  [['completion', 'bash', 'zsh'], 'unexpected argument zsh'],
  [['completion'], 'bash|zsh|fish is missing'],
])('%j is wrong usage', (args, message) => {
  const { exit, stdout, stderr } = createWorld(folder, program).run(args);
  expect([exit, stdout]).toEqual([64, '']);
  expect(stderr).toContain(message);
});

test('--json has the script as a text', () => {
  const world = createWorld(folder, program);
  const { stdout } = world.run(['completion', 'fish', '--json']);
  expect(JSON.parse(stdout)).toEqual({ shell: 'fish', script: world.run(['completion', 'fish']).stdout });
});

test('sessions are listed where there are none, or the folder is not what it should be', () => {
  const world = createWorld(folder, program);
  expect(world.run(['completion', '--sessions'])).toEqual({ exit: 0, stdout: '', stderr: '' });
  world.write('.hookloop/sessions', 'a file');
  expect(world.run(['completion', '--sessions'])).toEqual({ exit: 0, stdout: '', stderr: '' });
});
