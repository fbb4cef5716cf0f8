import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { httpEntry, keepHttpEntry, newToken } from '../../app/serve-address.ts';
import type { AgentReport } from './agent-report.ts';
import { examine } from './examine.ts';
import { type DoctorWorld, doctorWorlds, errorsOf, isAlive } from './fixtures/world.ts';

const { newWorld, worldWith } = doctorWorlds('doctor');

/** More than any of these needs, on a busy machine too. */
const limitMs = 90_000;

describe.concurrent('an agent that does not', () => {
  test('act on a refusal is found out', async ({ expect }) => {
    const report = await examine('claude', worldWith('blocks-not').examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: false });
    expect(errorsOf(report)).toEqual(['claude ran a command that Hookloop had refused']);
  });

  test('tell its model why still blocks', async ({ expect }) => {
    const report = await examine('claude', worldWith('tells-not').examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: true });
    const message = 'claude does not tell its model why a call was refused';
    expect(report.findings).toContainEqual({ severity: 'warning', message });
  });

  test('come to its model proves nothing, and its last words are told', async ({ expect }) => {
    const report = await examine('claude', worldWith('crashes').examination(limitMs));
    expect(report).toMatchObject({ fires: null, blocks: null });
    expect(errorsOf(report)).toEqual([
      'claude ended before it asked its model for anything: exit code 3: out of order',
    ]);
  });

  test('live until the second call leaves open whether it blocks', async ({ expect }) => {
    const report = await examine('claude', worldWith('crashes-later').examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: null });
    expect(errorsOf(report)).toEqual(['claude ended before a call could be refused: exit code 4']);
  });

  test('end is ended, with all that it has started', async ({ expect }) => {
    const world = worldWith('hangs');
    const endedAfter = async (ms: number): Promise<AgentReport> => {
      const begunMs = performance.now();
      const report = await examine('claude', world.examination(ms));
      expect(performance.now() - begunMs).toBeLessThan(ms + 20_000);
      // A busy machine may have taken all that time to come to the agent.
      return world.noted('pids') === undefined && ms < limitMs / 2 ? endedAfter(ms * 3) : report;
    };
    const report = await endedAfter(9000);
    expect(report).toMatchObject({ fires: null, blocks: null });
    expect(errorsOf(report)[0]).toMatch(
      /^claude ended before it asked its model for anything: had not finished after \d+ s$/,
    );
    const pids = world.noted('pids')!.split(' ').map(Number);
    expect(pids.length).toBe(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

describe.concurrent('settings and files', () => {
  test('that switch hooks off are named', async ({ expect }) => {
    const world = worldWith('good');
    const file = world.write('~/.claude/settings.json', '{ "disableAllHooks": true, "theme": "dark" }');
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: false, blocks: false });
    const message = `disableAllHooks in ${file} switches hooks off`;
    const fix = `remove disableAllHooks from ${file}`;
    expect(report.findings).toContainEqual({ severity: 'error', message, fix });
    const generic = { severity: 'error', message: 'claude used a tool without calling Hookloop' };
    expect(report.findings).toContainEqual(generic);
  });

  test('that call a launcher that is gone are found out, and what to do', async ({ expect }) => {
    const world = worldWith('good');
    rmSync(join(world.home, '.local'), { recursive: true });
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: false, latencyMs: null });
    expect(report.findings[0]).toMatchObject({ severity: 'error', fix: 'hookloop install claude' });
    expect(report.findings[0]!.message).toMatch(
      /^the installed command does not work: exit code 2: hookloop: .*bin\/hookloop is gone or empty; install hookloop again/,
    );
  });

  test('that are committed need the program on PATH', async ({ expect }) => {
    const world = newWorld();
    world.agent('claude', 'good');
    world.run(['install', 'claude', '--shared']);
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: false, latencyMs: null });
    expect(report.findings[0]).toMatchObject({ severity: 'error', fix: 'npm install -g hookloop' });
  });

  test('of an older version still work, and are to be renewed', async ({ expect }) => {
    const world = worldWith('good');
    const file = world.pathOf('.claude/settings.local.json');
    const text = readFileSync(file, 'utf8').replaceAll('"timeout": 600', '"timeout": 300');
    world.write('.claude/settings.local.json', text);
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: true });
    expect(report.files[0]).toEqual({ file, scopes: ['project'], state: 'old' });
    expect(report.findings[0]).toMatchObject({ severity: 'warning', fix: 'hookloop install claude' });
  });

  test('of the user count in every project, and what no one can read is told', async ({ expect }) => {
    const world = newWorld();
    world.agent('claude', 'good');
    world.run(['install', 'claude', '--user']);
    const file = world.write('.claude/settings.json', '{ "hooks": ');
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: true });
    const message = `${file} cannot be used: not valid JSON: value expected`;
    expect(report.findings[0]).toMatchObject({ severity: 'warning', message });
  });
});

describe.concurrent('calls that go to serve', () => {
  const variable = 'HOOKLOOP_HTTP_TOKEN';

  /** `given`: what the user's shell has for a token; `right` stands for the right one. */
  async function worldOverHttp(
    given: string | undefined,
  ): Promise<{ world: DoctorWorld; server: Server; port: number }> {
    const token = newToken();
    const env = given === undefined ? {} : { [variable]: given === 'right' ? token : given };
    const world = newWorld(env);
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    mkdirSync(join(world.home, '.local/state/hookloop'), { recursive: true, mode: 0o700 });
    keepHttpEntry(join(world.home, '.local/state/hookloop'), { port, token });
    world.agent('claude', 'good');
    if (world.run(['install', 'claude', '--http']).exit !== 0) throw new Error('install has failed');
    return { world, server, port };
  }
  const closed = (server: Server): Promise<void> => new Promise(resolve => server.close(() => resolve()));

  test('fire and block through a serve of the sandbox, which is gone afterwards', async ({ expect }) => {
    const { world, server } = await worldOverHttp('right');
    await closed(server);
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: true, blocks: true });
    expect(report.latencyMs).toBeGreaterThan(0);
    expect(report.files[0]).toMatchObject({ state: 'current', http: true });
    expect(report.findings).toContainEqual({
      severity: 'note',
      message: 'hookloop serve is not running; the next prompt starts it',
    });
    expect(errorsOf(report)).toEqual([]);
    expect(world.left()).toEqual([]);
    const stagePid = JSON.parse(world.noted('serve') ?? '{}').pid;
    expect(stagePid).toBeGreaterThan(0);
    expect(isAlive(stagePid)).toBe(false);
  });

  test.for([undefined, '0'.repeat(64)])('do not come through with the token %s', async (given, { expect }) => {
    const { world, server } = await worldOverHttp(given);
    await closed(server);
    const report = await examine('claude', world.examination(limitMs));
    expect(report).toMatchObject({ fires: null, blocks: null });
    expect(report.findings[0]).toMatchObject({
      severity: 'error',
      message: expect.stringContaining(`${variable} is not`),
      fix: expect.stringContaining(`export ${variable}="$(cat `),
    });
    expect(errorsOf(report)).toHaveLength(1);
  });

  test('come to another program where that has the port', async ({ expect }) => {
    const { world, server, port } = await worldOverHttp('right');
    const report = await examine('claude', world.examination(limitMs));
    await closed(server);
    expect(errorsOf(report)).toEqual([
      `port ${port}, which the entries call, is taken by another program or another user's hookloop serve`,
    ]);
  });

  test('are to be renewed when serve has another port', async ({ expect }) => {
    const { world, server, port } = await worldOverHttp('right');
    await closed(server);
    const state = join(world.home, '.local/state/hookloop');
    keepHttpEntry(state, { ...httpEntry(state), port: port === 1 ? 2 : 1 });
    const report = await examine('claude', world.examination(limitMs));
    expect(report.files[0]).toMatchObject({ state: 'old', http: true });
    expect(report.findings[0]).toMatchObject({ severity: 'warning', fix: 'hookloop install claude --http' });
  });
});

describe.concurrent('an agent that works only with its own servers', () => {
  test.for(['cursor', 'copilot'] as const)(
    '%s: the reason is told, and the hook is timed all the same',
    async (agent, { expect }) => {
      const world = newWorld();
      world.agent(agent === 'cursor' ? 'cursor-agent' : 'copilot', 'good');
      world.run(['install', agent]);
      const report = await examine(agent, world.examination(limitMs));
      expect(report).toMatchObject({ agent, version: '9.8.7', fires: null, blocks: null, trust: 'unknown' });
      expect(report.latencyMs).toBeGreaterThan(0);
      expect(report.findings[0]!.message).toMatch(/was not tried: .* works only with its own servers/);
    },
  );

  test('an agent that cannot be tried does not make the command fail', () => {
    const world = newWorld();
    world.agent('copilot', 'good');
    world.run(['install', 'copilot']);
    expect(world.doctor('copilot')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^copilot +9\.8\.7 +- +- /m),
    });
  });
});
