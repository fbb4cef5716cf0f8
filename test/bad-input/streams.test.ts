import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleInto, createWorld, temporaryFolder, type World } from '../program.ts';

const folder = temporaryFolder('streams');
let program: string;
beforeAll(async () => {
  program = (await bundleInto(join(folder, 'bin'))).program;
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A project with one script of babysitter, whose stderr is handed on. */
function worldWith(script: string): World {
  const world = createWorld(folder, program);
  world.write('.a5c/hooks/on-iteration-start/hook.sh', `#!/bin/sh\n${script}\n`, 0o755);
  return world;
}

const event = ['dispatch', 'on-iteration-start'];

async function eventually(isSo: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 15_000; !isSo(); await new Promise(resolve => setTimeout(resolve, 20)))
    if (Date.now() > deadline) throw new Error('it never came to pass');
}

function endWithTest(child: ChildProcess): ChildProcess {
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('standard input', () => {
  test('that answers "not yet" is waited for', async () => {
    const world = worldWith('cat > got');
    const pipe = join(world.project, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const script = `exec 3> pipe; echo open; sleep 0.5; printf '{"iteration"' >&3; sleep 0.2; echo ':4}' >&3`;
    const writer = endWithTest(
      spawn('sh', ['-c', script], { cwd: world.project, stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    const stdin = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    await once(writer.stdout!, 'data');
    const { exit } = world.run(event, { stdin });
    closeSync(stdin);
    expect([exit, JSON.parse(readFileSync(join(world.project, 'got'), 'utf8'))]).toMatchObject([0, { iteration: 4 }]);
  });

  test('without end is refused once it is too long, and nothing runs', () => {
    const world = worldWith('echo ran > ran');
    const shell = 'yes "                                        " | "$NODE" "$PROGRAM" dispatch on-iteration-start';
    expect(world.run([], { shell })).toMatchObject({
      exit: 65,
      stdout: '',
      stderr: expect.stringContaining('the payload is larger than 64 MiB'),
    });
    expect(existsSync(join(world.project, 'ran'))).toBe(false);
  });
});

describe('standard error that no one reads', () => {
  const flood = 'echo $$ > pid; head -c 1000000 /dev/zero | tr "\\0" % | fold -w 100 >&2; echo printed > printed';

  test('does not hold up the result, and loses nothing once it is read', async () => {
    const world = worldWith(flood);
    const child = endWithTest(world.start(event, ['ignore', 'pipe', 'pipe']));
    let stdout = '';
    child.stdout!.setEncoding('utf8').on('data', text => {
      stdout += text;
    });
    await eventually(() => stdout.endsWith('\n'));
    expect(JSON.parse(stdout)).toMatchObject({ decision: { kind: 'proceed' }, results: [{ status: 'finished' }] });
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', text => {
      stderr += text;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(stderr.match(/%/g)).toHaveLength(1_000_000);
    expect(stderr).toContain('per-repo:hook.sh:success');
  });

  test('does not keep a signal from ending the hook', async () => {
    const world = worldWith(`${flood}; sleep 60`);
    const child = endWithTest(world.start(event, ['ignore', 'ignore', 'pipe']));
    await eventually(() => existsSync(join(world.project, 'printed')));
    const hook = Number(readFileSync(join(world.project, 'pid'), 'utf8'));
    child.kill('SIGTERM');
    await eventually(() => !isRunning(hook));
    child.stderr!.destroy();
    expect(await once(child, 'exit')).toEqual([143, null]);
  });
});

test.each([
  ['SIGQUIT', 131],
  ['SIGHUP', 129],
  ['SIGINT', 130],
] as const)('%s ends the hook, then us with %i', async (signal, code) => {
  const world = worldWith('echo $$ > pid.new; mv pid.new pid; exec sleep 60');
  const child = endWithTest(world.start(event, ['ignore', 'pipe', 'ignore']));
  let stdout = '';
  child.stdout!.on('data', text => {
    stdout += text;
  });
  await eventually(() => existsSync(join(world.project, 'pid')));
  const hook = Number(readFileSync(join(world.project, 'pid'), 'utf8'));
  child.kill(signal);
  expect(await once(child, 'close')).toEqual([code, null]);
  expect([isRunning(hook), stdout]).toEqual([false, '']);
});

test('a current folder whose name is not UTF-8 is refused in words', () => {
  const world = worldWith('echo ran > "$REPO_ROOT/ran"');
  const shell = `d="$(printf 'a\\377b')" && mkdir "$d" && cd "$d" && exec "$NODE" "$PROGRAM" dispatch on-iteration-start`;
  expect(world.run([], { shell })).toEqual({
    exit: 1,
    stdout: '',
    stderr: 'hookloop: the current folder has a name that is not UTF-8; change to another one\n',
  });
  expect(existsSync(join(world.project, 'ran'))).toBe(false);
});
