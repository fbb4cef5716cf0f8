import { existsSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleInto, temporaryFolder } from '../../test/program.ts';
import { addressFile } from '../app/serve-address.ts';
import { trust } from '../cli/commands/trust.ts';
import { runCommand } from '../cli/run-command.ts';
import { gate, payload, type Sent, send, served } from './fixtures/http.ts';
import type { ServeWorld } from './fixtures/world.ts';

const folder = temporaryFolder('serve-attack');
let program: string;
beforeAll(async () => {
  ({ program } = await bundleInto(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('serve refuses', () => {
  test('everybody who cannot read the private file, and every web page', async () => {
    const { world, address, hookToken, hasRun } = await served(folder, program);
    const { port } = new URL(address.url);
    const refused: readonly (readonly [number, Sent])[] = [
      [401, { headers: { authorization: '' } }],
      [401, { headers: { authorization: `Bearer ${'0'.repeat(64)}` } }],
      [401, { headers: { authorization: `Basic ${address.token}` } }],
      [401, { path: `/dispatch/tool.calling?cwd=${world.project}`, headers: { authorization: `Bearer ${hookToken}` } }],
      [421, { headers: { host: `evil.example:${port}` } }],
      [421, { headers: { host: '127.0.0.1' } }],
      [421, { headers: { host: `127.0.0.1:${Number(port) + 1}` } }],
      [403, { headers: { origin: 'https://evil.example' } }],
      [403, { headers: { origin: `http://127.0.0.1:${port}` } }],
      [403, { headers: { origin: 'null' } }],
      [403, { headers: { 'sec-fetch-site': 'cross-site' } }],
      [403, { headers: { 'sec-fetch-site': 'same-origin' } }],
      ...['GET', 'HEAD', 'PUT', 'OPTIONS', 'DELETE'].map(method => [405, { method, body: '' }] as const),
      ...['/', '/hook', '/hook/claude/PreToolUse/more', '/hook/../dispatch', '/run/x', '/hook/--help', '/hook/%00'].map(
        path => [404, { path }] as const,
      ),
    ];
    for (const [status, sent] of refused)
      expect({ sent, ...(await send(address, sent, world.project)) }).toMatchObject({ sent, status });
    expect(hasRun()).toBe(false);
    expect((await send(address, {}, world.project)).status).toBe(200);
    expect(hasRun()).toBe(true);
  });

  test('other users: its file and its socket are for no one else', async () => {
    const { world, address } = await served(folder, program);
    expect(statSync(addressFile(world.state)).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.state, 'serve-http.json')).mode & 0o777).toBe(0o600);
    expect(statSync(address.socket).mode & 0o777).toBe(0o600);
    expect(statSync(join(address.socket, '..')).mode & 0o777).toBe(0o700);
  });

  test('two hosts, or none', async () => {
    const { address } = await served(folder, program);
    const head = `POST /hook/claude HTTP/1.1\r\nauthorization: Bearer ${address.token}\r\ncontent-length: 0\r\n`;
    const { port } = new URL(address.url);
    expect(await raw(port, `${head}\r\n`)).toContain(' 400 ');
    expect(await raw(port, `${head}host: 127.0.0.1:${port}\r\nhost: evil.example\r\n\r\n`)).toContain(' 400 ');
  });
});

describe('serve answers', () => {
  test('an http hook in the words of its agent, also when it cannot run anything', async () => {
    const { world, address, hookToken } = await served(folder, program);
    const deny = '"permissionDecision":"deny"';
    const asked = (sent: Sent): Promise<{ status: number; text: string }> => send(address, sent, world.project);
    expect(await asked({})).toEqual({ status: 200, text: '' });
    expect((await asked({ body: payload.replace('ls', 'forbidden') })).text).toContain(deny);
    expect((await asked({ headers: { authorization: `Bearer ${hookToken}` } })).status).toBe(200);
    expect((await asked({ path: '/hook/claude/PreToolUse?cwd=/nowhere' })).text).toContain(deny);
    expect((await asked({ body: 'not json' })).text).toContain(deny);
    expect((await asked({ path: '/hook/copilot/preToolUse', body: '[]' })).text).toContain(deny);
    expect((await asked({ path: '/hook/nobody/x' })).text).toContain('"decision":"block"');
  });

  test('over the socket in the private folder without a token', async () => {
    const { world, address } = await served(folder, program);
    const headers = { authorization: '', host: 'localhost' };
    const sent = { socketPath: address.socket, headers };
    expect(await send(address, sent, world.project)).toEqual({ status: 200, text: '' });
    const page = { ...sent, headers: { ...headers, origin: 'https://evil.example' } };
    expect((await send(address, page, world.project)).status).toBe(403);
  });

  test('dispatch, and on demand what the program would have printed', async () => {
    const { world, address } = await served(folder, program);
    const path = `/dispatch/tool.calling?cwd=${world.project}`;
    const body = '{"tool":"Bash","session":"s"}';
    expect(JSON.parse((await send(address, { path, body }, '')).text)).toMatchObject({ decision: { kind: 'proceed' } });
    const { text } = await send(address, { path: `${path}&as=process`, body: '[]' }, '');
    expect(JSON.parse(text)).toMatchObject({ stdout: '', exitCode: 65 });
  });

  test('dispatch that could not run anything with an error and the reason, a refusal with its result', async () => {
    const { world, address, hasRun } = await served(folder, program);
    const asked = async (event: string, body: string): Promise<object> => {
      const { status, text } = await send(address, { path: `/dispatch/${event}?cwd=${world.project}`, body }, '');
      return { status, ...JSON.parse(text) };
    };
    const failed = (status: number, exitCode: number, error: string): object => ({
      ...{ status, exitCode, error: expect.stringContaining(error) },
    });
    expect(await asked('tool.caling', '{}')).toEqual(failed(400, 64, 'unknown event tool.caling; did you mean'));
    expect(await asked('tool.calling', '[1]')).toEqual(failed(400, 65, 'the payload must be a JSON object'));
    expect(await asked('tool.calling', 'not json')).toEqual(failed(400, 65, 'payload'));
    expect(hasRun()).toBe(false);
    expect(await asked('tool.calling', '{"tool":"Bash","tool_input":{"command":"forbidden"}}')).toMatchObject({
      ...{ status: 200, decision: { kind: 'block' } },
    });
    world.write('.nyzhi/config.toml', '[[agent.hooks');
    expect(await asked('tool.calling', '{"tool":"Bash"}')).toEqual(failed(422, 78, 'nothing was run'));
  });

  test('dispatch in a project only once its hooks are trusted', async () => {
    const { world, address } = await served(folder, program);
    world.write('.nyzhi/config.toml', gate.replace('>> ran', '>> ran-of-project'));
    const path = `/dispatch/tool.calling?cwd=${world.project}`;
    const asked = (): Promise<{ status: number; text: string }> => send(address, { path, body: '{"tool":"Bash"}' }, '');
    const refused = await asked();
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text)).toEqual({
      ...{ exitCode: 2, error: expect.stringMatching(/\.nyzhi\/config\.toml: not trusted yet.*hookloop trust$/) },
    });
    expect(existsSync(world.pathOf('ran-of-project'))).toBe(false);
    const whole = JSON.parse((await send(address, { path: `${path}&as=process`, body: '{"tool":"Bash"}' }, '')).text);
    expect(whole).toMatchObject({ stdout: '', exitCode: 2 });
    await trustIn(world);
    expect((await asked()).status).toBe(200);
    expect(existsSync(world.pathOf('ran-of-project'))).toBe(true);
  });

  test('whoever comes after too large a body, half a request and hundreds of silent connections', async () => {
    const { world, address, hasRun } = await served(folder, program);
    const { port } = new URL(address.url);
    const head = `POST /hook/claude/PreToolUse HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`;
    const large = await raw(
      port,
      `${head}authorization: Bearer ${address.token}\r\ncontent-length: 99999999999\r\n\r\n{`,
    );
    expect(large).toContain('"permissionDecision":"deny"');
    expect(large.toLowerCase()).toContain('connection: close');
    const [thinPort = '0'] = address.thin.split(' ');
    const silent = [port, thinPort].flatMap(each =>
      Array.from({ length: 200 }, () => connect(Number(each), '127.0.0.1')),
    );
    for (const socket of silent) socket.on('error', () => {});
    silent[0]!.write(head);
    silent[250]!.write('hookloop/1\0');
    silent[251]!.write('GET / HTTP/1.1\r\n\r\n');
    expect(hasRun()).toBe(false);
    expect(await send(address, {}, world.project)).toEqual({ status: 200, text: '' });
    expect(world.launch(['hook', 'claude'], payload).exit).toBe(0);
    for (const socket of silent) socket.destroy();
  });

  test('no one on the port of the thin client who does not know its token', async () => {
    const { world, address, hasRun } = await served(folder, program);
    const [port = '', token = ''] = address.thin.split(' ');
    const words = ['hook', 'claude', 'PreToolUse'].join('\0');
    for (const wrong of ['', '0'.repeat(64), `${token}0`, address.token])
      expect(
        await raw(port, `hookloop/1\0${wrong}\0${process.pid}\0${process.ppid}\0${program}\0${3}\0${words}\0`),
      ).toBe('');
    // This process is no launcher: it is told to run the program itself, and never asked for a payload.
    const own = await raw(port, `hookloop/1\0${token}\0${process.pid}\0${process.ppid}\0${program}\0${3}\0${words}\0`);
    expect(own).toMatch(/^[\w-]{16} no\n$/);
    expect(hasRun()).toBe(false);
    expect(world.launch(['hook', 'claude'], payload).exit).toBe(0);
  });
});

/** The program of these tests has only the commands that serve is about. */
async function trustIn({ project: cwd, env }: ServeWorld): Promise<void> {
  const terminal = (): { color: boolean; columns: undefined } => ({ color: false, columns: undefined });
  const io = { cwd, env, out: () => {}, err: () => {}, input: () => undefined, terminal };
  expect(await runCommand(trust, ['--yes'], io)).toBe(0);
}

/** What comes back until the other side ends. */
function raw(port: string, text: string): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8').on('data', chunk => {
      answer += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}
