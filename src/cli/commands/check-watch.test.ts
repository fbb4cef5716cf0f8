import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder, type World } from '../../../test/program.ts';
import { untilSo } from '../view/fixtures/terminal.ts';

const folder = temporaryFolder('check-watch');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(join(folder, 'bin')));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gate = (command: string): string => `hooks:\n  task.completing:\n    - ${command}\n`;

interface Watched {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Everything printed so far, as soon as there have been so many reports. */
  reports(count: number): Promise<string>;
}

function watch(world: World, ...options: string[]): Watched {
  const child = world.start(['check', '--watch', ...options], ['ignore', 'pipe', 'pipe']);
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]!.on('data', data => {
      printed[stream] += data;
    });
  const [stdout, stderr] = [() => printed.stdout, () => printed.stderr];
  const reports = (count: number): Promise<string> =>
    untilSo(
      () => stdout() + stderr(),
      () => (stderr() + stdout()).split(/Ctrl-C ends\.|^\{"problems"/m).length - 1 >= count,
    );
  return { child, stdout, stderr, reports };
}

test('files that change, appear and vanish are checked again, and so are the scripts they name', async () => {
  const world = createWorld(folder, program);
  world.write('hookloop.yaml', gate('./test.sh'));
  const { child, stdout, stderr, reports } = watch(world);
  expect(await reports(1)).toContain('hookloop.yaml:3:9: warning: test.sh does not exist');
  expect(stderr()).toBe('1 warning in 1 file\nWatching 1 file. Ctrl-C ends.\n');

  world.write('test.sh', '#!/bin/sh\n', 0o755);
  await reports(2);
  expect(stderr()).toMatch(/\] test\.sh is new\nno problems in 1 hook file, 1 hook\nWatching 2 files\./);

  world.write('hookloop.yaml', gate('make test'));
  await reports(3);
  expect(stderr()).toMatch(/\] hookloop\.yaml changed\nno problems in 1 hook file, 1 hook\nWatching 1 file/);

  world.write('.sauna/hooks.json', '["true"');
  await reports(4);
  expect(stdout()).toContain('.sauna/hooks.json:1:');

  world.write('pipelines/nightly.yaml', 'stages: nonsense\n');
  await reports(5);
  expect(stdout()).toContain('pipelines/nightly.yaml:1:');

  rmSync(world.pathOf('.sauna'), { recursive: true });
  rmSync(world.pathOf('pipelines'), { recursive: true });
  rmSync(world.pathOf('hookloop.yaml'));
  await reports(6);
  expect(stderr()).toMatch(/ is gone.*\nno hook files here.*\nWatching for hook files\. Ctrl-C ends\.\n$/);
  expect(child.exitCode).toBeNull();
});

test('a script that is made executable, and a file that another one extends, count too', async () => {
  const world = createWorld(folder, program);
  world.write('team.yaml', gate('./test.sh'));
  world.write('hookloop.yaml', 'extends: ["./team.yaml"]\n');
  const script = world.write('test.sh', '#!/bin/sh\n', 0o644);
  const { stderr, reports } = watch(world);
  expect(await reports(1)).toContain('test.sh is not executable');
  chmodSync(script, 0o755);
  await reports(2);
  expect(stderr()).toMatch(/\] test\.sh changed\nno problems in /);
  world.write('team.yaml', 'hooks: 1\n');
  await reports(3);
  expect(stderr()).toMatch(/\] team\.yaml changed\n1 error in 1 file\n/);
});

test('with --json there is one document a line, and many writes at once are one change', async () => {
  const world = createWorld(folder, program);
  world.write('hookloop.yaml', gate('make test'));
  const { stdout, stderr, reports } = watch(world, '--json');
  await reports(1);
  for (let count = 0; count < 20; count += 1) world.write('hookloop.yaml', `${gate('make test')}bad${count}: 1\n`);
  await reports(2);
  world.write('hookloop.yaml', gate('make check'));
  await reports(3);
  const lines = stdout().trimEnd().split('\n');
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { problems: [], errors: 0, warnings: 0 },
    { problems: [{ message: 'unknown key "bad19"', line: 4 }], errors: 1, warnings: 0 },
    { problems: [], errors: 0, warnings: 0 },
  ]);
  expect(stderr()).toBe('');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it with %d', async (signal, code) => {
  const { child, reports } = watch(createWorld(folder, program));
  expect(await reports(1)).toContain('Watching for hook files. Ctrl-C ends.');
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([code, null]);
});

test('a folder that is removed is told of, and checked when it is back', async () => {
  const world = createWorld(folder, program);
  world.write('sub/hookloop.yaml', gate('make test'));
  const { child, stderr, reports } = watch(world, '-C', 'sub');
  await reports(1);
  renameSync(world.pathOf('sub'), world.pathOf('away'));
  await reports(2);
  expect(stderr()).toContain(`${world.pathOf('sub')} is gone. It is checked again when it is back. Ctrl-C ends.\n`);
  world.write('away/hookloop.yaml', 'hoks: {}\n');
  renameSync(world.pathOf('away'), world.pathOf('sub'));
  expect(await reports(3)).toContain('unknown key "hoks"');
  expect(stderr()).toMatch(/sub is back\n1 error/);
  rmSync(world.pathOf('sub'), { recursive: true });
  await reports(4);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([130, null]);
});

test('it ends where no one reads its reports any more', async () => {
  const world = createWorld(folder, program);
  world.write('hookloop.yaml', gate('./gone.sh'));
  const { child, reports } = watch(world);
  await reports(1);
  child.stdout!.destroy();
  world.write('hookloop.yaml', gate('./gone-too.sh'));
  expect(await once(child, 'exit')).toEqual([0, null]);
});

const hasPty = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
const cleared = '\x1b[H\x1b[2J';

test.runIf(hasPty).each([
  ['xterm', true],
  ['dumb', false],
] as const)('a terminal of type %s is cleared before the next report: %s', async (TERM, isCleared) => {
  const world = createWorld(folder, program);
  world.write('hookloop.yaml', gate('make test'));
  const env = { PATH: process.env['PATH'], HOME: world.home, LANG: 'C.UTF-8', TERM, NO_COLOR: '1' };
  const command = `"${process.execPath}" "${program}" check --watch`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: world.project, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', data => {
    printed += data;
  });
  const shown = (text: string): Promise<string> =>
    untilSo(
      () => printed,
      () => printed.includes(text),
    );
  expect(await shown('Watching 1 file.')).not.toContain('\x1b');
  world.write('hookloop.yaml', gate('./gone.sh'));
  await shown('1 warning in 1 file');
  expect(printed.includes(`${cleared}[`)).toBe(isCleared);
  child.stdin.write('\x03');
  expect((await once(child, 'exit'))[0]).toBe(130);
});
