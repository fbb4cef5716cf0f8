import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { untilPlanned } from './cold.mjs';
import { measureInTurn, median } from './measure.mjs';
import { lefthookFiles, writeProject } from './projects.mjs';

const gate = '[[agent.hooks]]\nevent = "pre_tool"\ncommand = "true"\nblock = true\n';

/**
 * One tool call of an agent, from its start to the answer of a hook that does nothing, all ways in turn. Returns rows
 * `{ name, ms, ratio, to, bound? }`: `ratio` is to the row named `to`. `launcherText` makes the launcher;
 * `lefthook` is its native binary, if there is one.
 */
export async function measureServe({ folder, program, rounds, launcherText, lefthook }) {
  const place = writeProject(folder, { '~/.config/nyzhi/config.toml': gate, ...lefthookFiles(1) });
  const env = { PATH: process.env.PATH, HOME: place.home, LANG: 'C.UTF-8' };
  const state = join(place.home, '.local/state/hookloop');
  const launcher = join(state, 'bin/hookloop');
  mkdirSync(dirname(launcher), { recursive: true, mode: 0o700 });
  writeFileSync(launcher, launcherText({ node: process.execPath, program, state, path: process.env.PATH }));
  chmodSync(launcher, 0o755);
  spawnSync('git', ['init', '-q', place.project]);
  const start = args => spawn(process.execPath, args, { cwd: place.project, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const servers = [
    start([program, 'serve', '--json', '--port', '0']),
    start([fileURLToPath(new URL('bare-server.cjs', import.meta.url)), 'sh', '-c', 'true']),
  ];
  try {
    const [, port] = await Promise.all(servers.map(firstLine));
    const address = JSON.parse(readFileSync(join(state, 'serve.json'), 'utf8'));
    const bareUrl = `http://127.0.0.1:${port}`;
    const ways = waysOf({ place, env, program, launcher, address, bareUrl, lefthook });
    const way = name => ways.find(each => each.name === name).run;
    untilPlanned(place, way(withoutServe));
    const answer = async calls => {
      for (const name of [overHttp, bareServer]) for (let call = 0; call < calls; call += 1) await way(name)();
    };
    await answer(callsWhenYoung);
    const young = (await measured(ways.slice(0, ways.findIndex(({ name }) => name === overHttp) + 1), rounds)).at(-1);
    await answer(callsInUse);
    return [...(await measured(ways, rounds)), { ...young, name: `${overHttp}, after ${callsWhenYoung} calls` }];
  } finally {
    for (const server of servers) server.kill();
  }
}

const firstLine = async ({ stdout }) => (await createInterface({ input: stdout })[Symbol.asyncIterator]().next()).value;

/** One that answers an agent for an hour or two; V8 has not yet compiled all that it runs often. */
const callsWhenYoung = 300;
/** One that has been in use. */
const callsInUse = 3000;
const overHttp = 'serve over HTTP';
const bareServer = 'a bare Node server that starts the hook';
const bareNode = 'a bare Node program that starts the hook';
const bareProgram = fileURLToPath(new URL('bare.cjs', import.meta.url));
const withoutServe = 'the program itself, without serve';

function waysOf({ place: { project }, env, program, launcher, address, bareUrl, lefthook }) {
  const run = (file, args) => () => {
    const { status, stderr } = spawnSync(file, args, { cwd: project, env, input: payload(), encoding: 'utf8' });
    if (status !== 0) throw new Error(`${file} failed: ${stderr}`);
  };
  const agent = new Agent({ keepAlive: true });
  const hook = ['hook', 'claude', 'PreToolUse'];
  return [
    { name: 'sh -c true', run: run('sh', ['-c', 'true']) },
    { name: 'the hook spawned bare from Node', run: () => bare(project, env) },
    {
      name: bareServer,
      run: () => post(agent, { url: bareUrl }, project),
      bounds: [{ to: 'the hook spawned bare from Node' }],
    },
    {
      name: overHttp,
      run: () => post(agent, address, project),
      bounds: [{ to: 'the hook spawned bare from Node', bound: 1.8 }],
    },
    {
      name: 'serve by the launcher',
      run: run(launcher, hook),
      bounds: [{ to: 'sh -c true', bound: 4 }, ...(lefthook === undefined ? [] : [{ to: 'lefthook (native binary)' }])],
    },
    { name: 'node -e 0', run: run(process.execPath, ['-e', '0']) },
    { name: bareNode, run: run(process.execPath, [bareProgram, '1', 'in-turn', 'sh', '-c', 'true']) },
    {
      name: withoutServe,
      run: run(process.execPath, [program, ...hook]),
      bounds: [{ to: bareNode }],
    },
    ...(lefthook === undefined ? [] : [{ name: 'lefthook (native binary)', run: run(lefthook, ['run', 'bench']) }]),
  ];
}

/** Warm first; the ratio of two ways is the median of their ratios inside the rounds. */
async function measured(ways, rounds) {
  const taken = new Map(ways.map(({ name }) => [name, []]));
  const cases = ways.map(({ name, run }) => ({
    name,
    run: async () => {
      const from = process.hrtime.bigint();
      await run();
      const ms = Number(process.hrtime.bigint() - from) / 1e6;
      taken.get(name).push(ms);
      return ms;
    },
  }));
  await measureInTurn(cases, { rounds: 5, base: ways[0].name });
  for (const times of taken.values()) times.length = 0;
  await measureInTurn(cases, { rounds, base: ways[0].name });
  const ratio = (a, b) => median(taken.get(a).map((ms, round) => ms / taken.get(b)[round]));
  return ways.flatMap(({ name, bounds = [{}] }) =>
    bounds.map(({ to, bound }) => ({
      ...{ name, ms: median(taken.get(name)), to, bound },
      ...(to !== undefined && { ratio: ratio(name, to) }),
    })),
  );
}

let count = 0;

/** Each call is one of its own: a repeated one would get the earlier answer. */
function payload() {
  count += 1;
  return JSON.stringify({
    ...{ session_id: 'bench', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_use_id: `call-${count}` },
    tool_input: { command: 'git status --short', description: 'Looks what has changed' },
  });
}

function bare(cwd, env) {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', 'true'], { cwd, env });
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.on('error', () => {});
    child.stdin.end(payload());
    child.on('error', reject).on('close', resolve);
  });
}

function post(agent, { url, token }, cwd) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/hook/claude/PreToolUse?cwd=${cwd}`, { method: 'POST', agent, headers }, response => {
      response.resume().on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error('refused'))));
    });
    asked.on('error', reject);
    asked.end(payload());
  });
}
