import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleInto, createWorld, type Ran, type RunOptions, temporaryFolder, type World } from '../program.ts';

const folder = temporaryFolder('surroundings');
let program: string;
beforeAll(async () => {
  program = (await bundleInto(join(folder, 'bin'))).program;
}, 60_000);
afterAll(() => {
  // Whoever is not root cannot remove what stands in a folder that may not be entered.
  execFileSync('chmod', ['-R', 'u+rwX', folder]);
  rmSync(folder, { recursive: true, force: true });
});

/** A project with one iteratr hook, which appends a line to `ran`. */
function countingWorld(): World {
  const world = createWorld(folder, program, 'own');
  world.write('.iteratr.hooks.yml', 'hooks:\n  pre_iteration:\n    - command: echo ran >> ran\n');
  return world;
}

const timesRun = ({ project }: World): number =>
  existsSync(join(project, 'ran')) ? readFileSync(join(project, 'ran'), 'utf8').split('\n').length - 1 : 0;
const innards = ({ stderr, stdout }: Ran): string[] =>
  (stderr + stdout).split('\n').filter(line => /^ {4}at |this is a bug|node:internal/.test(line));
const dispatch = (world: World, options: RunOptions = {}): Ran => world.run(['dispatch', 'pre_iteration'], options);

/** The hook ran once more, and no one is told anything odd. */
function expectOrdinary(world: World, printed: Ran, times = 1): void {
  expect([printed.exit, innards(printed), timesRun(world)], printed.stderr).toEqual([0, [], times]);
  expect(JSON.parse(printed.stdout)).toMatchObject({ event: 'iteration.starting', decision: { kind: 'proceed' } });
}

describe('dispatch works', () => {
  test('with standard input closed', () => {
    const world = countingWorld();
    expectOrdinary(world, dispatch(world, { shell: 'exec "$NODE" "$PROGRAM" dispatch pre_iteration <&-' }));
  });

  test('without HOME', () => {
    const world = countingWorld();
    const env = { HOME: undefined, XDG_CONFIG_HOME: world.home };
    expectOrdinary(world, world.run(['dispatch', 'pre_iteration', '--only', 'iteratr'], { env }));
  });

  test('with variables that name no folder', () => {
    const world = countingWorld();
    const nowhere = { XDG_CONFIG_HOME: 'relative', XDG_CACHE_HOME: '/dev/null/x', XDG_STATE_HOME: '/dev/null/x' };
    expectOrdinary(
      world,
      dispatch(world, { env: { ...nowhere, TMPDIR: '/nowhere', CLAUDE_PLUGIN_ROOT: '/dev/null' } }),
    );
  });

  test('with nowhere to keep long output', () => {
    const world = createWorld(folder, program, 'own');
    world.write(
      '.iteratr.hooks.yml',
      'hooks:\n  pre_iteration:\n    - command: yes | head -c 3000000; echo ran >> ran\n',
    );
    expectOrdinary(world, dispatch(world, { env: { XDG_STATE_HOME: '/dev/null/x' } }));
  });

  test('when no one reads what it prints', () => {
    const world = countingWorld();
    const { stderr } = dispatch(world, {
      shell: '"$NODE" "$PROGRAM" dispatch pre_iteration 2>err | true; cat err >&2',
    });
    expect(stderr).toContain('succeeded');
    expect(timesRun(world)).toBe(1);
  });
});

describe('without the user’s folders', () => {
  const about = ({ stderr }: Ran): string[] => stderr.split('\n').filter(line => line.startsWith('hookloop: '));
  const goesWithout = 'so hookloop works without your own hook files, compiled plans, trust, questions and long output';
  const commands: readonly string[][] = [
    ['list'],
    ['check'],
    ['dispatch', 'pre_iteration'],
    ['run', '--prompt', 'x', '--agent', 'command:true'],
  ];

  test.each(commands)('%s works where HOME is a file, and says so once', (...args) => {
    const world = countingWorld();
    const file = world.write('file', '');
    const printed = world.run(args, { env: { HOME: file } });
    expect([printed.exit, innards(printed)], printed.stderr).toEqual([0, []]);
    expect(about(printed)).toEqual([`hookloop: HOME: ${file} is not a folder, ${goesWithout}`]);
  });

  test.each(commands)('%s works where HOME may not be written to or made, and says so once', (...args) => {
    const world = countingWorld();
    const locked = world.pathOf('~/locked');
    mkdirSync(locked, { mode: 0o555 });
    for (const [home, culprit] of [
      [locked, locked],
      ['/no-such-home/user', '/'],
    ] as const) {
      const printed = world.run(args, { env: { HOME: home }, unprivileged: true });
      expect([printed.exit, innards(printed)], printed.stderr).toEqual([0, []]);
      expect(about(printed)).toEqual([
        `hookloop: HOME: ${culprit} may not be written to, so hookloop works without compiled plans, trust, questions and long output`,
      ]);
    }
  });

  test('only what is wrong is named', () => {
    const world = countingWorld();
    const printed = dispatch(world, { env: { XDG_STATE_HOME: '/dev/null/x' } });
    expect(about(printed)).toEqual([
      'hookloop: XDG_STATE_HOME: /dev/null is not a folder, so hookloop works without trust, questions and long output',
    ]);
    expect(about(dispatch(world))).toEqual([]);
  });
});

describe('dispatch says so', () => {
  test.each([[['dispatch', 'pre_iteration']], [['hook', 'claude', 'PreToolUse']]])(
    'when standard input is a folder: %j',
    args => {
      const world = countingWorld();
      const stdin = openSync(world.project, 'r');
      expect(world.run(args, { stdin })).toEqual({
        exit: 65,
        stdout: '',
        stderr: `hookloop ${args[0]}: standard input is a folder; give it a file or a pipe with JSON\n`,
      });
      closeSync(stdin);
      expect(timesRun(world)).toBe(0);
    },
  );

  test('when the folder it stands in is gone', () => {
    const world = countingWorld();
    const shell = 'mkdir gone && cd gone && rmdir ../gone && exec "$NODE" "$PROGRAM" dispatch pre_iteration';
    const printed = dispatch(world, { shell });
    expect([innards(printed), timesRun(world)], printed.stderr).toEqual([[], 0]);
    expect(printed.exit).not.toBe(0);
    expect(printed.stderr).toMatch(/folder/);
  });

  test.each([
    ['of an event that does not exist', ['dispatch', 'x'.repeat(10_000)]],
    ['of an event with odd characters', ['dispatch', '\u001b[31m__proto__']],
    ['of a name that every object has', ['dispatch', 'constructor']],
    ['of a folder that does not exist', ['dispatch', 'pre_iteration', '-C', '/nowhere/at/all']],
    ['of a file in place of a folder', ['dispatch', 'pre_iteration', '-C', '/dev/null']],
    ['of no event', ['dispatch']],
  ])('that it is used wrongly: %s', (_, args) => {
    const world = countingWorld();
    const printed = world.run(args);
    expect([printed.exit, printed.stdout, innards(printed), timesRun(world)]).toEqual([64, '', [], 0]);
    expect(printed.stderr).not.toContain('\u001b');
  });
});

/** A checksum stands behind the JSON of a plan. */
const markBytes = 4;

describe('the plan cache', () => {
  const plansOf = ({ home }: World): string => join(home, '.cache/hookloop/plans');

  /** Runs the hook until its plan is kept, which a file changed a moment ago prevents. */
  function warmWorld(): { world: World; plan: string; times: number } {
    const world = countingWorld();
    const deadline = Date.now() + 10_000;
    for (let times = 1; Date.now() < deadline; times += 1) {
      expectOrdinary(world, dispatch(world), times);
      const [name] = existsSync(plansOf(world)) ? readdirSync(plansOf(world)) : [];
      if (name) return { world, plan: join(plansOf(world), name), times };
    }
    throw new Error('no plan was kept in ten seconds');
  }

  test.each<[name: string, spoil: (text: string) => string | Uint8Array]>([
    ['empty', () => ''],
    ['cut off', text => text.slice(0, text.length / 2)],
    ['of other JSON', () => '[1, 2, 3]'],
    ['null', () => 'null'],
    ['without a plan', text => JSON.stringify({ ...JSON.parse(text.slice(0, -markBytes)), plan: null })],
    ['with an empty plan', text => JSON.stringify({ ...JSON.parse(text.slice(0, -markBytes)), plan: {} })],
    ['without what was looked at', text => JSON.stringify({ ...JSON.parse(text.slice(0, -markBytes)), seen: 7 })],
    ['of binary data', () => Buffer.alloc(8192, 0xff)],
    ['nested without end', () => '['.repeat(100_000)],
  ])('is of no importance when a plan is %s', (_, spoil) => {
    const { world, plan, times } = warmWorld();
    writeFileSync(plan, spoil(readFileSync(plan, 'latin1')), { mode: 0o600 });
    expectOrdinary(world, dispatch(world), times + 1);
  });

  test.each<[name: string, make: (plan: string) => void]>([
    ['a folder', plan => mkdirSync(plan)],
    ['a pipe that no one writes to', plan => void execFileSync('mkfifo', [plan])],
  ])('is of no importance when a plan is %s', (_, make) => {
    const { world, plan, times } = warmWorld();
    rmSync(plan);
    make(plan);
    expectOrdinary(world, dispatch(world), times + 1);
  });

  test('of another user is not used', () => {
    const { world, plan, times } = warmWorld();
    writeFileSync(plan, readFileSync(plan, 'utf8').replaceAll('echo ran', 'echo evil'));
    chmodSync(plan, 0o666);
    expectOrdinary(world, dispatch(world), times + 1);
    expect(readFileSync(join(world.project, 'ran'), 'utf8')).not.toContain('evil');
  });

  test('may be full of garbage', () => {
    const { world, plan, times } = warmWorld();
    for (let at = 0; at < 600; at += 1) writeFileSync(join(plansOf(world), `garbage-${at}`), 'x');
    mkdirSync(join(plansOf(world), 'a-folder'));
    rmSync(plan);
    expectOrdinary(world, dispatch(world), times + 1);
  });

  test.each<[name: string, make: (world: World) => void]>([
    ['a file', ({ home }) => writeFileSync(join(home, '.cache'), '')],
    ['a folder that may not be written', ({ home }) => mkdirSync(join(home, '.cache'), { mode: 0o555 })],
    ['a folder that may not be read', ({ home }) => mkdirSync(join(home, '.cache'), { mode: 0 })],
  ])('may be missing, with %s in its place', (_, make) => {
    const world = countingWorld();
    make(world);
    expectOrdinary(world, dispatch(world, { unprivileged: true }));
    expectOrdinary(world, dispatch(world, { unprivileged: true }), 2);
  });

  test('may have a damaged sector anywhere', () => {
    const { world } = warmWorld();
    const cache = join(world.home, '.cache/hookloop');
    const files = readdirSync(cache, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name));
    for (const file of files) {
      const good = readFileSync(file);
      for (let part = 1; part < 16; part += 1) {
        const damaged = Buffer.from(good);
        const sector = Math.floor((good.length * part) / 16);
        damaged.fill(0x15 ^ good[sector]!, sector, Math.min(sector + 512, good.length));
        writeFileSync(file, damaged, { mode: 0o600 });
        rmSync(join(world.project, 'ran'), { force: true });
        expectOrdinary(world, dispatch(world));
      }
      writeFileSync(file, good, { mode: 0o600 });
    }
    expect(files.length).toBeGreaterThan(0);
  });
});

describe('what needs a state folder says in a sentence that it cannot be used', () => {
  const homes = (world: World): Record<string, string> => {
    const [file, locked] = [join(world.home, 'file'), join(world.home, 'locked')];
    writeFileSync(file, '');
    mkdirSync(locked, { mode: 0o555 });
    return { file, locked };
  };
  test.each([
    [['serve'], 'file', 'is not a folder'],
    [['serve'], 'locked', 'may not be written to'],
    [['trust', '--yes'], 'locked', 'may not be written to'],
    [['trust', '--revoke'], 'locked', 'may not be written to'],
  ] as const)('%j with a HOME that is no usable folder: %s', (args, kind, why) => {
    const world = countingWorld();
    const home = homes(world)[kind]!;
    const ran = world.run(args, { env: { HOME: home }, unprivileged: true });
    const head = `hookloop ${args[0]}: ${args[0] === 'trust' ? 'nothing was changed: ' : ''}${home} ${why}, so there can be no`;
    expect([ran.exit, ran.stderr]).toEqual([1, expect.stringContaining(head)]);
    expect(ran.stderr).toContain('set HOME or XDG_STATE_HOME to a folder that can be written to\n');
    expect([innards(ran), /ENOTDIR|EACCES/.test(ran.stderr)]).toEqual([[], false]);
  });
});
