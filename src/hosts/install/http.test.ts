import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Ran } from '../../../test/program.ts';
import { httpEntry, readAddress } from '../../app/serve-address.ts';
import { hooksOf, httpWorlds, prompt, settingsPath, stateOf } from './fixtures/http-world.ts';

const { newWorld, worldWithPort } = httpWorlds('install-http');

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
    expect(hooksOf(world)['UserPromptSubmit']![0]!.hooks[0]!.command).toMatch(
      / --http --from \S+ \|\| sh -c '[^']+ exit 2' # hookloop$/,
    );
  });

  test('keeps the token out of the project, in a file that only the user can read', () => {
    const world = newWorld();
    world.run(['install', 'claude', '--http']);
    const file = join(stateOf(world), 'http-token');
    const { token } = httpEntry(stateOf(world));
    expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(world.pathOf(settingsPath), 'utf8')).not.toContain(token);
  });

  test('is done once, is taken back byte for byte, and gives way to commands', () => {
    const world = newWorld();
    const text =
      '{\n  // mine\n  "hooks": { "PreToolUse": [{ "hooks": [{ "type": "http", "url": "http://127.0.0.1:1/x" }] }] }\n}';
    world.write(settingsPath, text);
    world.run(['install', 'claude', '--http']);
    const installed = readFileSync(world.pathOf(settingsPath), 'utf8');
    expect(world.run(['install', 'claude', '--http']).stderr).toContain('already');
    expect(readFileSync(world.pathOf(settingsPath), 'utf8')).toBe(installed);
    world.run(['install', 'claude']);
    expect(readFileSync(world.pathOf(settingsPath), 'utf8')).not.toContain('#hookloop');
    world.run(['install', 'claude', '--http']);
    expect(readFileSync(world.pathOf(settingsPath), 'utf8')).toBe(installed);
    world.run(['uninstall', 'claude']);
    expect(readFileSync(world.pathOf(settingsPath), 'utf8')).toBe(text);
  });

  test('takes out its own entries alone when the file has changed since', () => {
    const world = newWorld();
    world.run(['install', 'claude', '--http']);
    const own = JSON.parse(readFileSync(world.pathOf(settingsPath), 'utf8'));
    const theirs = { type: 'http', url: 'http://127.0.0.1:8764/hook/claude/PreToolUse?cwd=/x' };
    own.hooks.PreToolUse.push({ hooks: [theirs] });
    world.write(settingsPath, JSON.stringify(own));
    world.run(['uninstall', 'claude']);
    expect(JSON.parse(readFileSync(world.pathOf(settingsPath), 'utf8'))).toEqual({
      hooks: { PreToolUse: [{ hooks: [theirs] }] },
    });
  });

  test('shows with --dry-run what would change, and writes nothing', () => {
    const world = newWorld();
    const { stdout } = world.run(['install', 'claude', '--http', '--dry-run']);
    expect(stdout).toContain('+            "url": "http://127.0.0.1:8764/hook/claude/PreToolUse?cwd=');
    expect(existsSync(stateOf(world))).toBe(false);
    expect(existsSync(dirname(world.pathOf(settingsPath)))).toBe(false);
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

  test('names the port that serve has found where the usual one was taken, which serve keeps from then on', async () => {
    const world = await worldWithPort();
    const serve = world.start(['serve', '--json'], ['ignore', 'pipe', 'ignore']);
    onTestFinished(() => void serve.kill('SIGKILL'));
    const [line] = await once(serve.stdout!, 'data');
    const { url } = JSON.parse(String(line));
    expect(url).not.toBe(`http://127.0.0.1:${world.port}`);
    const install = (...more: string[]): Ran => world.run(['install', 'claude', '--http', ...more]);
    expect(install('--dry-run').stdout).toContain(`${url}/hook/claude/PreToolUse`);
    expect(httpEntry(stateOf(world)).port).toBe(world.port);
    expect(install().stderr).not.toContain('warning:');
    expect(hooksOf(world)['PreToolUse']![0]!.hooks[0]!.url).toContain(`${url}/hook/claude/PreToolUse`);
    expect(prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token })).toEqual({ exit: 0, stdout: '', stderr: '' });
    await world.close();
    await delay(1000);
    expect(readAddress(stateOf(world))!.url).toBe(url);
    serve.kill('SIGTERM');
    await once(serve, 'close');
    prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token });
    expect(readAddress(stateOf(world))!.url).toBe(url);
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
    [['claude', '--user'], '--http is only for this checkout'],
    [['claude', '--shared'], '--http is only for this checkout'],
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
