import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { trust } from '../../test/host-program.ts';
import { hooksOf, httpWorlds, post, prompt, settingsPath, stateOf } from '../hosts/install/fixtures/http-world.ts';
import { until } from '../serve/fixtures/world.ts';
import { keepHttpEntry, newToken, readAddress } from './serve-address.ts';

const { program, newWorld, worldWithPort } = httpWorlds('http-calls');

const gate = '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "echo stop it; exit 1"\nblock = true\n';

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
    copy.write(settingsPath, readFileSync(world.pathOf(settingsPath), 'utf8'));
    const refused = copy.run(['hook', 'claude', 'UserPromptSubmit', '--http'], {
      env: { HOOKLOOP_HTTP_TOKEN: token, HOME: world.home },
      input: JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: copy.project, prompt: 'Go.' }),
    });
    expect(refused.stdout).toContain(`its entries were installed in ${world.project}. Here: hookloop install claude`);
  });

  test('is refused where the entries name a port that serve had before', async () => {
    const world = await worldWithPort();
    world.run(['install', 'claude', '--http']);
    await world.close();
    keepHttpEntry(stateOf(world), { port: world.port + 1, token: world.token });
    const { stdout } = prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token });
    expect(JSON.parse(stdout).reason).toContain(
      `its entries call port ${world.port}, but serve now uses ${world.port + 1}. Here: hookloop install claude`,
    );
  });

  test('is refused where another program has the port: it would answer in our place', async () => {
    const world = await worldWithPort();
    const { stdout } = prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token });
    expect(JSON.parse(stdout).reason).toContain(`another program uses port ${world.port}`);
  });

  test('is let through once that program has left: serve takes the port, and is still reached where it was', async () => {
    const world = await worldWithPort();
    world.run(['install', 'claude', '--http']);
    const env = { HOOKLOOP_HTTP_TOKEN: world.token };
    expect(prompt(world, env).stdout).toContain(`another program uses port ${world.port}`);
    const before = readAddress(stateOf(world))!;
    await world.close();
    expect(prompt(world, env)).toEqual({ exit: 0, stdout: '', stderr: '' });
    const url = `http://127.0.0.1:${world.port}`;
    expect(readAddress(stateOf(world))).toEqual({ ...before, url });
    const statuses = [url, before.url].map(async at => (await post(`${at}/hook/claude/Stop`, world.token, {})).status);
    expect(await Promise.all(statuses)).toEqual([200, 200]);
    process.kill(before.pid, 'SIGTERM');
    await until(() => readAddress(stateOf(world)) === undefined && !existsSync(`/proc/${before.pid}`));
    expect(prompt(world, env).exit).toBe(0);
    expect(readAddress(stateOf(world))).toMatchObject({ url });
  });

  test('is let through by the launcher too, which serve itself answers', async () => {
    const world = await worldWithPort();
    world.run(['install', 'claude', '--http']);
    const launcher = join(stateOf(world), 'bin/hookloop');
    const ask = () =>
      world.run([], {
        shell: `"${launcher}" hook claude UserPromptSubmit --http`,
        env: { HOOKLOOP_HTTP_TOKEN: world.token },
        input: JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'Go.' }),
      });
    for (let at = 0; at < 2; at += 1) expect(ask().stdout).toContain(`another program uses port ${world.port}`);
    await world.close();
    expect(ask()).toEqual({ exit: 0, stdout: '', stderr: '' });
  });

  test('is refused with the truth where serve was told to have no other port', async () => {
    const world = await worldWithPort();
    await world.close();
    const serve = spawn(process.execPath, [program(), 'serve', '--port', '0'], {
      ...{ env: { HOME: world.home, PATH: process.env['PATH'] }, stdio: 'ignore' },
    });
    onTestFinished(() => void serve.kill('SIGKILL'));
    await until(() => readAddress(stateOf(world)) !== undefined);
    const { url } = readAddress(stateOf(world))!;
    const { stdout } = prompt(world, { HOOKLOOP_HTTP_TOKEN: world.token });
    expect(JSON.parse(stdout).reason).toContain(
      `nothing listens on port ${world.port}, and serve is at ${url}. End it (kill ${serve.pid}) and try again`,
    );
  });
});
