import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The ways of one event that are measured, by name. Each runs the program as a user would, in a project and a home of its own, and returns the
 * times between which the event was on its way.
 */
export const paths = {
  'dispatch-cached': { title: '`dispatch` of a tool event, plan cached', play: playCached },
  'dispatch-cold': { title: '`dispatch` of a tool event, plan cold', play: playCold },
  'tool-call': { title: 'a tool call of an ACP agent in `run`, announced until allowed', play: playToolCall },
  gate: { title: 'a gate after a turn, until the agent hears why it failed', play: playGate },
  webhook: { title: 'an awaited webhook with its answer, in `dispatch`, plan cached', play: playWebhook },
  serve: { title: "an agent's own hook through `serve`, plan in memory", play: playServe },
};

/** Plays paths with the program of a tree; tells the files at work in the order of their first use, or why it could not be played. */
export async function walkPaths(names, tree, folder) {
  // Not at the top: it brings a parser that nothing else here needs.
  const { buildRecorded } = await import('./recorded.mjs');
  const { program, filesBetween } = await buildRecorded(tree, join(folder, 'recorded'));
  const [walked, failed] = [{}, {}];
  for (const name of names)
    try {
      const { from, to } = await paths[name].play(createWorld(folder, program));
      walked[name] = filesBetween(from, to);
    } catch (error) {
      failed[name] = error.message;
    }
  return { walked, failed };
}

const toolHook = { type: 'shell', command: 'cat > /dev/null', tool: 'Bash', block: true };

function playCold(world) {
  world.writeHooks([toolHook]);
  return timed(() => dispatch(world));
}

async function playCached(world) {
  world.writeHooks([toolHook]);
  await dispatch(world);
  return timed(() => dispatch(world));
}

const dispatch = world => world.run(['dispatch', 'tool.calling'], { tool: 'Bash', input: { command: 'ls' } });

async function playToolCall(world) {
  world.writeHooks([toolHook]);
  const messages = await runSession(world, 'shell true');
  const asked = messages.find(({ message }) => message.method === 'session/request_permission').message.id;
  return {
    from: messages.find(({ message }) => message.params?.update?.sessionUpdate === 'tool_call').at,
    to: messages.find(({ message, way }) => way === 'to agent' && message.id === asked && message.result).at,
  };
}

async function playGate(world) {
  world.write('.sauna/hooks.json', ['test -e tried || { touch tried; exit 1; }']);
  const messages = await runSession(world, 'say done');
  const [first, second] = messages.filter(({ message }) => message.method === 'session/prompt');
  return {
    from: messages.find(({ message, way }) => way === 'from agent' && message.id === first.message.id).at,
    to: second.at,
  };
}

async function playWebhook(world) {
  const receiver = createServer(async (asked, response) => {
    const { link } = JSON.parse(await text(asked));
    response.end();
    await post(`${link}?action=approve`);
  });
  await new Promise(resolve => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${receiver.address().port}/`;
    const callback = { callback_port: await freePort(), body: { link: '${CALLBACK_URL}' } };
    world.writeHooks([{ type: 'webhook', url, await: true, ...callback }]);
    await dispatch(world);
    return await timed(() => dispatch(world));
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function playServe(world) {
  world.writeHooks([toolHook]);
  await world.run(['trust', '--yes']);
  const serve = world.start(['serve', '--json', '--port', '0']);
  try {
    await Promise.race([
      once(serve.stdout, 'data'),
      once(serve, 'exit').then(([code]) => Promise.reject(new Error(`serve ended with ${code}`))),
    ]);
    const { url, token } = JSON.parse(readFileSync(join(world.home, '.local/state/hookloop/serve.json'), 'utf8'));
    const target = `${url}/hook/claude/PreToolUse?cwd=${world.project}`;
    const payload = {
      session_id: 's',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    };
    const call = () => post(target, { authorization: `Bearer ${token}` }, JSON.stringify(payload));
    await call();
    // What it still does for the first call is not on the way of the second.
    await delay(500);
    return await timed(call);
  } finally {
    serve.kill();
  }
}

/** As agents send it; `fetch` sends what only web pages do. */
async function post(url, headers = {}, body = '') {
  const sent = request(url, { method: 'POST', headers, agent: false });
  sent.end(body);
  const [response] = await once(sent, 'response');
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}: ${answer}`);
}

async function timed(work) {
  const from = process.hrtime.bigint();
  await work();
  return { from, to: process.hrtime.bigint() };
}

/** Runs a session with the ACP agent of the tests, which does what the prompt says; returns the messages between the two. */
async function runSession(world, prompt) {
  const tests = join(import.meta.dirname, '../../test/fixtures/agents/acp-agent.mjs');
  const notes = join(world.home, 'messages');
  const words = [process.execPath, join(import.meta.dirname, 'tap.mjs'), notes, process.execPath, tests];
  const agent = `acp:${words.map(word => `'${word}'`).join(' ')}`;
  await world.run(['run', '--agent', agent, '--session', 's', '--prompt', prompt]);
  const lines = readFileSync(notes, 'utf8').trimEnd().split('\n');
  return lines.map(line => JSON.parse(line)).map(({ at, ...more }) => ({ at: BigInt(at), ...more }));
}

/** A project with a home, in which the program runs in a clean environment. */
function createWorld(folder, program) {
  const world = mkdtempSync(join(folder, 'world-'));
  const [project, home] = [join(world, 'project'), join(world, 'home')];
  for (const made of [join(project, '.git'), join(project, '.sauna'), home]) mkdirSync(made, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
  const start = args => spawn(process.execPath, [program, ...args], { cwd: project, env });
  const write = (path, value) => writeFileSync(join(project, path), JSON.stringify(value));
  return {
    project,
    home,
    start,
    write,
    writeHooks: hooks => write('hookloop.yaml', { hooks: { 'tool.calling': hooks } }),
    /** Runs it to its end with this on stdin; fails where it does. */
    async run(args, input) {
      const child = start(args);
      child.stdin.on('error', () => {}).end(JSON.stringify(input ?? ''));
      const [printed, told, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      if (code !== 0) throw new Error(`hookloop ${args[0]} ended with ${code}:\n${told}${printed}`);
    },
  };
}

async function freePort() {
  const server = createServer();
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise(resolve => server.close(resolve));
  return port;
}
