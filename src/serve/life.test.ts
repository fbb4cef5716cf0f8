import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../test/program.ts';
import { addressFile, readAddress, writeAddress } from '../app/serve-address.ts';
import { call, denial, gate, parents, payload } from './fixtures/calls.ts';
import { bundleServeProgram } from './fixtures/program.ts';
import { createServeWorld, isServed, type ServeWorld, texts, until } from './fixtures/world.ts';

const folder = temporaryFolder('serve-life');
const programs: Record<string, string> = {};
beforeAll(async () => {
  for (const stamp of ['one', 'two'])
    programs[stamp] = await bundleServeProgram(mkdtempSync(join(folder, `${stamp}-`)), stamp);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs until the file \`go\` is there. */
const slow = `
[[agent.hooks]]
event = "pre_tool"
timeout = 0
command = "echo $$ > started; until [ -e go ]; do sleep 0.05; done"
block = true

[[agent.hooks]]
event = "post_tool"
timeout = 0
command = "echo $$ > started; until [ -e go ]; do sleep 0.05; done"
`;

function worldWith(config: string): ServeWorld {
  // A copy of its own, so that a test can put another version in its place.
  const program = join(mkdtempSync(join(folder, 'program-')), 'hookloop.cjs');
  copyFileSync(programs['one']!, program);
  const world = createServeWorld(folder, program);
  world.write('~/.config/nyzhi/config.toml', config);
  return world;
}

describe('serve', () => {
  test('answers the launcher, and without serve the program itself does', async () => {
    const world = worldWith(gate);
    expect(texts(world.launch(call, payload('PreToolUse', 'a')))).toEqual(denial);
    const { address, child, ended } = await world.serve();
    expect(texts(world.launch(call, payload('PreToolUse', 'b')))).toEqual(denial);
    expect(texts(world.launch(call, payload('PreToolUse', 'c'), { HOOKLOOP_SERVE: 'off' }))).toEqual(denial);
    const [plain, served, off] = parents(world);
    expect(served).toBe(String(address.pid));
    expect([plain, off]).not.toContain(served);
    child.kill('SIGKILL');
    await ended;
    expect(isServed(world.state)).toBe(true);
    expect(texts(world.launch(call, payload('PreToolUse', 'd')))).toEqual(denial);
    expect(parents(world)).toHaveLength(4);
  });

  test('is one per user', async () => {
    const world = worldWith(gate);
    const { address } = await world.serve();
    expect(world.run(['serve'])).toEqual({ exit: 75, stdout: '', stderr: expect.stringContaining(address.url) });
    expect(readAddress(world.state)).toEqual(address);
  });

  test('ends when there were no calls for a while, and leaves nothing behind', async () => {
    const world = worldWith(gate);
    const { ended, address } = await world.serve('--idle', '1');
    expect(await ended).toBe(0);
    expect([isServed(world.state), existsSync(address.socket)]).toEqual([false, false]);
  });

  test('finishes what it does before a signal ends it, and takes nothing new', async () => {
    const world = worldWith(slow);
    const { child, ended } = await world.serve();
    const answer = world.launchAside(call, payload('PreToolUse'));
    await until(() => existsSync(world.pathOf('started')));
    child.kill('SIGTERM');
    await until(() => !isServed(world.state));
    world.write('go', '');
    expect(texts(await answer)).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(await ended).toBe(143);
  });

  test('reads hooks anew when they are edited', async () => {
    const world = worldWith(gate);
    await world.serve();
    expect(texts(world.launch(call, payload('PreToolUse', 'a')))).toEqual(denial);
    world.write('~/.config/nyzhi/config.toml', gate.replace('exit 1', 'exit 0'));
    expect(`${world.launch(call, payload('PreToolUse', 'b')).stdout}`).not.toContain('deny');
    world.write('~/.config/nyzhi/config.toml', gate);
    expect(texts(world.launch(call, payload('PreToolUse', 'c')))).toEqual(denial);
    expect(new Set(parents(world)).size).toBe(1);
  });

  test('answers fifty calls at a time', async () => {
    const world = worldWith(gate);
    await world.serve();
    const calls = Array.from({ length: 50 }, (_, at) => world.launchAside(call, payload('PreToolUse', `echo ${at}`)));
    for (const answer of await Promise.all(calls)) expect(texts(answer)).toEqual(denial);
    expect(parents(world)).toHaveLength(50);
  });

  test('says in words where files run out, and lets nothing pass', async () => {
    const world = worldWith(gate);
    const { child } = await world.serve();
    expect(texts(world.launch(call, payload('PreToolUse', 'first')))).toEqual(denial);
    execFileSync('prlimit', ['--pid', String(child.pid), '--nofile=36:36']);
    const calls = Array.from({ length: 30 }, (_, at) => world.launchAside(call, payload('PreToolUse', `echo ${at}`)));
    const answers = await Promise.all(calls);
    const told = answers.map(({ stdout, stderr }) => `${stdout}${stderr}`);
    expect(told.filter(text => /bug|\.cjs:\d/.test(text))).toEqual([]);
    // Whoever serve cannot even look at any more is refused by its launcher.
    const passed = answers.filter(
      ({ exit, stdout }) => exit !== 2 && !`${stdout}`.includes('"permissionDecision":"deny"'),
    );
    expect(passed).toEqual([]);
    expect(told.filter(text => text.includes('EMFILE')).length).toBeGreaterThan(0);
  });
});

describe('a launcher whose serve', () => {
  test.each([
    ['PreToolUse', 2],
    ['PostToolUse', 1],
  ])('is killed while it answers %s ends with %i, and says so', async (native, exit) => {
    const world = worldWith(slow);
    const { child } = await world.serve();
    const answer = world.launchAside(['hook', 'claude', native], payload(native));
    await until(() => existsSync(world.pathOf('started')));
    child.kill('SIGKILL');
    const stderr = 'hookloop: serve went away before it had answered\n';
    expect(texts(await answer)).toEqual({ exit, stdout: '', stderr });
    world.write('go', '');
  });

  test('hangs runs the program itself', async () => {
    const world = worldWith(gate);
    const { child, address } = await world.serve();
    child.kill('SIGSTOP');
    expect(texts(world.launch(call, payload('PreToolUse')))).toEqual(denial);
    child.kill('SIGCONT');
    expect(parents(world)).not.toContain(String(address.pid));
  });

  test('was followed by a stranger on its port gives the payload to no one', async () => {
    const world = worldWith(gate);
    const { child, address, ended } = await world.serve();
    child.kill('SIGKILL');
    await ended;
    let heard = '';
    const stranger = createServer(socket => {
      socket.on('error', () => {});
      socket.setEncoding('utf8').on('data', text => {
        heard += text;
        socket.write(`${'0'.repeat(64)} end 0 60\n0 0 0 t\nend\n`);
      });
    });
    onTestFinished(() => void stranger.close());
    const [port] = address.thin.split(' ');
    await new Promise<void>(resolve => stranger.listen(Number(port), '127.0.0.1', resolve));
    expect(texts(await world.launchAside(call, payload('PreToolUse', 'private')))).toEqual(denial);
    expect(heard).toContain('PreToolUse');
    expect(heard).not.toContain('private');
  });

  test('stands elsewhere in the system, by its umask or its limits, runs the program itself', async () => {
    const world = worldWith(gate);
    const { address } = await world.serve();
    const through = (before: string): string => `${before}; exec "${world.launcher}" hook claude`;
    for (const [at, before] of ['umask 0077', 'ulimit -t 1000', ':'].entries())
      world.run([], { shell: through(before), input: payload('PreToolUse', `echo ${at}`) });
    expect(parents(world).map(parent => parent === String(address.pid))).toEqual([false, false, true]);
  });
});

test('hooks end when the launcher that waits for them is killed', async () => {
  const world = worldWith(slow);
  await world.serve();
  const child = world.spawnLauncher(call, payload('PreToolUse'));
  await until(() => existsSync(world.pathOf('started')));
  const pid = Number(readFileSync(world.pathOf('started'), 'utf8'));
  expect(existsSync(`/proc/${pid}`)).toBe(true);
  child.kill('SIGKILL');
  await until(() => !existsSync(`/proc/${pid}`));
  expect(existsSync(world.pathOf('go'))).toBe(false);
});

describe('a newer version', () => {
  test('in the place of the program answers at once, and the old serve ends', async () => {
    const world = worldWith(gate);
    const { address, ended } = await world.serve();
    copyFileSync(programs['two']!, `${world.program}.new`);
    renameSync(`${world.program}.new`, world.program);
    expect(texts(world.launch(call, payload('PreToolUse', 'a')))).toEqual(denial);
    expect(await ended).toBe(0);
    expect(parents(world)).not.toContain(String(address.pid));
    const next = await world.serve();
    expect(next.address.version).toBe('two');
    expect(texts(world.launch(call, payload('PreToolUse', 'b')))).toEqual(denial);
    expect(parents(world)[1]).toBe(String(next.address.pid));
  });

  test('that is started takes over from one that still has something to do', async () => {
    const world = worldWith(slow);
    const old = await world.serve();
    const answer = world.launchAside(call, payload('PreToolUse'));
    await until(() => existsSync(world.pathOf('started')));
    copyFileSync(programs['two']!, world.program);
    const starting = world.serve();
    await until(() => readAddress(world.state)?.pid !== old.address.pid);
    world.write('go', '');
    expect(texts(await answer)).toEqual({ exit: 0, stdout: '', stderr: '' });
    expect(await old.ended).toBe(143);
    expect((await starting).address.version).toBe('two');
  });
});

test('an address that others can write, or of a process that is gone, is none', async () => {
  const world = worldWith(gate);
  const { address, child, ended } = await world.serve();
  writeAddress(world.state, { ...address, startTime: 'another' });
  expect(readAddress(world.state)).toBeUndefined();
  writeAddress(world.state, address);
  expect(readAddress(world.state)).toEqual(address);
  world.write('~/.local/state/hookloop/serve.json', readFileSync(addressFile(world.state)), 0o666);
  expect(readAddress(world.state)).toBeUndefined();
  child.kill('SIGKILL');
  await ended;
});
