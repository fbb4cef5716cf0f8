import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleHostProgram, trust } from '../../../test/host-program.ts';
import { createWorld, temporaryFolder, type World } from '../../../test/program.ts';
import { readAddress } from '../../serve/address.ts';
import { httpEntry, keepHttpEntry } from '../../serve/http-entry.ts';
import { newToken } from '../../serve/tokens.ts';

const folder = temporaryFolder('install-http');
let program: string;
beforeAll(async () => {
  program = await bundleHostProgram(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = '.claude/settings.local.json';
const stateOf = (world: World): string => join(world.home, '.local/state/hookloop');

interface Group {
  hooks: readonly { type: string; url?: string; command?: string; onFailure?: string; headers?: object }[];
}

const hooksOf = (world: World): Readonly<Record<string, readonly Group[]>> =>
  JSON.parse(readFileSync(world.pathOf(path), 'utf8')).hooks;

const newWorld = (): World => createWorld(folder, program);

/** With a port that is free just now, and serve ended with the test. */
async function worldWithPort(): Promise<World & { token: string; port: number; close(): Promise<void> }> {
  const world = newWorld();
  const state = stateOf(world);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const server = createServer((_, response) => response.end('{}'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => new Promise(resolve => server.close(() => resolve()));
  const token = newToken();
  keepHttpEntry(state, { port, token });
  onTestFinished(() => {
    const served = readAddress(state);
    if (served) process.kill(served.pid, 'SIGKILL');
    server.close();
  });
  return { ...world, token, port, close };
}

const prompt = (world: World, env: Readonly<Record<string, string>>) =>
  world.run(['hook', 'claude', 'UserPromptSubmit', '--http'], {
    env,
    input: JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: world.project, prompt: 'Go.' }),
  });

/** As agents do: `fetch` says that it is a web page. */
const post = (url: string, token: string, body: object): Promise<{ status: number | undefined; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(url, { method: 'POST', headers }, async response =>
      resolve({ status: response.statusCode, text: (await response.setEncoding('utf8').toArray()).join('') }),
    );
    sent.once('error', reject).end(JSON.stringify(body));
  });

const gate = '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "echo stop it; exit 1"\nblock = true\n';

describe('hookloop install claude --http', () => {
  test('sends the calls around tools to serve, and keeps commands for the rest', () => {
    const world = newWorld();
    const { exit, stderr } = world.run(['install', 'claude', '--http']);
    expect(exit).toBe(0);
    expect(stderr).toContain('http://127.0.0.1:8764');
    expect(stderr).toContain(`export HOOKLOOP_HTTP_TOKEN="$(cat ${stateOf(world)}/http-token)"`);
    const kinds = Object.fromEntries(
      Object.entries(hooksOf(world)).map(([native, [group]]) => [native, group!.hooks[0]!.type]),
    );
    expect(kinds).toMatchObject({ SessionStart: 'command', UserPromptSubmit: 'command', Stop: 'command' });
    expect(Object.keys(kinds).filter(native => kinds[native] === 'http')).toEqual([
      ...['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure'],
    ]);
    expect(hooksOf(world)['PreToolUse']![0]!.hooks[0]).toMatchObject({
      url: `http://127.0.0.1:8764/hook/claude/PreToolUse?cwd=${world.project}#hookloop`,
      headers: { Authorization: 'Bearer $HOOKLOOP_HTTP_TOKEN' },
      onFailure: 'block',
    });
    expect(hooksOf(world)['UserPromptSubmit']![0]!.hooks[0]!.command).toMatch(/ --http \|\| exit 2 # hookloop$/);
  });

  test('keeps the token out of the project, in a file that only the user can read', () => {
    const world = newWorld();
    world.run(['install', 'claude', '--http']);
    const file = join(stateOf(world), 'http-token');
    const { token } = httpEntry(stateOf(world));
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(world.pathOf(path), 'utf8')).not.toContain(token);
  });

  test('is done once, is taken back byte for byte, and gives way to commands', () => {
    const world = newWorld();
    const text =
      '{\n  // mine\n  "hooks": { "PreToolUse": [{ "hooks": [{ "type": "http", "url": "http://127.0.0.1:1/x" }] }] }\n}';
    world.write(path, text);
    world.run(['install', 'claude', '--http']);
    const installed = readFileSync(world.pathOf(path), 'utf8');
    expect(world.run(['install', 'claude', '--http']).stderr).toContain('already');
    expect(readFileSync(world.pathOf(path), 'utf8')).toBe(installed);
    world.run(['install', 'claude']);
    expect(readFileSync(world.pathOf(path), 'utf8')).not.toContain('#hookloop');
    world.run(['install', 'claude', '--http']);
    expect(readFileSync(world.pathOf(path), 'utf8')).toBe(installed);
    world.run(['uninstall', 'claude']);
    expect(readFileSync(world.pathOf(path), 'utf8')).toBe(text);
  });

  test('takes out its own entries alone when the file has changed since', () => {
    const world = newWorld();
    world.run(['install', 'claude', '--http']);
    const own = JSON.parse(readFileSync(world.pathOf(path), 'utf8'));
    const theirs = { type: 'http', url: 'http://127.0.0.1:8764/hook/claude/PreToolUse?cwd=/x' };
    own.hooks.PreToolUse.push({ hooks: [theirs] });
    world.write(path, JSON.stringify(own));
    world.run(['uninstall', 'claude']);
    expect(JSON.parse(readFileSync(world.pathOf(path), 'utf8'))).toEqual({
      hooks: { PreToolUse: [{ hooks: [theirs] }] },
    });
  });

  test('shows with --dry-run what would change, and writes nothing', () => {
    const world = newWorld();
    const { stdout } = world.run(['install', 'claude', '--http', '--dry-run']);
    expect(stdout).toContain('+            "url": "http://127.0.0.1:8764/hook/claude/PreToolUse?cwd=');
    expect(existsSync(stateOf(world))).toBe(false);
    expect(existsSync(dirname(world.pathOf(path)))).toBe(false);
  });

  test('tells with --json where the token is', () => {
    const world = newWorld();
    const { stdout } = world.run(['install', 'claude', '--http', '--json']);
    const http = {
      url: 'http://127.0.0.1:8764',
      variable: 'HOOKLOOP_HTTP_TOKEN',
      tokenFile: join(stateOf(world), 'http-token'),
    };
    expect(JSON.parse(stdout)).toMatchObject({ changed: true, http });
  });

  test('tells that another program has the port, and what to do', async () => {
    const world = await worldWithPort();
    const taken = `port ${world.port}, which the entries call, is taken by another program or another user`;
    const [plain, json] = [[], ['--json']].map(more => world.run(['install', 'claude', '--http', ...more]));
    expect(plain).toMatchObject({ exit: 0, stderr: expect.stringContaining(`warning: ${taken}`) });
    expect(plain!.stderr).toContain('do: hookloop serve --port N');
    expect(json!.stderr).toContain(taken);
    expect(JSON.parse(json!.stdout)).toMatchObject({ changed: false });
  });

  test('says nothing of a port that is free, or that is that of our own serve', async () => {
    const world = await worldWithPort();
    await world.close();
    expect(world.run(['install', 'claude', '--http']).stderr).not.toContain('warning:');
    prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token });
    expect(readAddress(stateOf(world))!.url).toBe(`http://127.0.0.1:${world.port}`);
    expect(world.run(['install', 'claude', '--http']).stderr).not.toContain('warning:');
  });

  test.each([
    [['claude', '--user'], '--http is for this checkout alone'],
    [['claude', '--shared'], '--http is for this checkout alone'],
    [['copilot'], 'gates would vanish'],
    [['codex'], 'its hooks are commands'],
  ])('%s is wrong usage', (args, text) => {
    const { exit, stderr } = newWorld().run(['install', ...args, '--http']);
    expect(exit).toBe(64);
    expect(stderr).toContain(text);
  });

  test('its entries are no hooks of the project', () => {
    const world = newWorld();
    world.run(['install', 'claude', '--http']);
    expect(JSON.parse(world.run(['list', '--json']).stdout)).toEqual([]);
    expect(world.run(['check'])).not.toMatchObject({ stderr: expect.stringContaining('http hooks') });
  });
});

describe('the prompt of an agent whose calls go to serve', () => {
  test('starts serve, which then answers with what the hooks say', async () => {
    const world = await worldWithPort();
    await world.close();
    world.write('.nyzhi/config.toml', gate);
    trust(world);
    world.run(['install', 'claude', '--http']);
    expect(prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token })).toEqual({ exit: 0, stdout: '', stderr: '' });
    const { pid } = readAddress(stateOf(world))!;
    const { url } = hooksOf(world)['PreToolUse']![0]!.hooks[0]!;
    const call = { cwd: '/', session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' };
    const refused = JSON.parse((await post(url!, world.token, call)).text);
    expect(refused.hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' });
    expect(refused.hookSpecificOutput.permissionDecisionReason).toContain('stop it');
    expect((await post(url!, newToken(), call)).status).toBe(401);
    expect(prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token }).exit).toBe(0);
    expect(readAddress(stateOf(world))!.pid).toBe(pid);
  });

  test.each([
    ['', 'is not set'],
    ['0'.repeat(64), 'is not the token'],
  ])('is refused where the token is "%s", and serve is not started', async (token, text) => {
    const world = await worldWithPort();
    const { exit, stdout } = prompt(world, { HOOKLOOP_HTTP_TOKEN: token });
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'block', reason: expect.stringContaining(text) });
    expect(readAddress(stateOf(world))).toBeUndefined();
  });

  test('is refused in a copy of the folder, whose entries ask for the hooks of the other', async () => {
    const { token, close, ...world } = await worldWithPort();
    await close();
    world.run(['install', 'claude', '--http']);
    const copy = newWorld();
    copy.write(path, readFileSync(world.pathOf(path), 'utf8'));
    const refused = copy.run(['hook', 'claude', 'UserPromptSubmit', '--http'], {
      env: { HOOKLOOP_HTTP_TOKEN: token, HOME: world.home },
      input: JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: copy.project, prompt: 'Go.' }),
    });
    expect(refused.stdout).toContain(`its entries were installed in ${world.project}. Here: hookloop install claude`);
  });

  test('is refused where another program has the port: it would answer in our place', async () => {
    const world = await worldWithPort();
    const { stdout } = prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token });
    expect(JSON.parse(stdout).reason).toContain(`another program has port ${world.port}`);
  });
});
