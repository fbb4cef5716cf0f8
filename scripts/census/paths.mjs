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
      const { from, to } = await paths[name].play(createProject(folder, program));
      walked[name] = filesBetween(from, to);
    } catch (error) {
      failed[name] = error.message;
    }
  return { walked, failed };
}

const toolHook = { type: 'shell', command: 'cat > /dev/null', tool: 'Bash', block: true };

function playCold(project) {
  project.writeHooks([toolHook]);
  return timed(() => dispatch(project));
}

async function playCached(project) {
  project.writeHooks([toolHook]);
  await dispatch(project);
  return timed(() => dispatch(project));
}

const dispatch = project => project.run(['dispatch', 'tool.calling'], { tool: 'Bash', input: { command: 'ls' } });

async function playToolCall(project) {
  project.writeHooks([toolHook]);
  const messages = await runSession(project, 'shell true');
  const asked = messages.find(({ message }) => message.method === 'session/request_permission').message.id;
  return {
    from: messages.find(({ message }) => message.params?.update?.sessionUpdate === 'tool_call').at,
    to: messages.find(({ message, way }) => way === 'to agent' && message.id === asked && message.result).at,
  };
}

async function playGate(project) {
  project.write('.sauna/hooks.json', ['test -e tried || { touch tried; exit 1; }']);
  const messages = await runSession(project, 'say done');
  const [first, second] = messages.filter(({ message }) => message.method === 'session/prompt');
  return {
    from: messages.find(({ message, way }) => way === 'from agent' && message.id === first.message.id).at,
    to: second.at,
  };
}

async function playWebhook(project) {
  const receiver = createServer(async (asked, response) => {
    const { link } = JSON.parse(await text(asked));
    response.end();
    await post(`${link}?action=approve`);
  });
  await new Promise(resolve => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${receiver.address().port}/`;
    const callback = { callback_port: await freePort(), body: { link: '${CALLBACK_URL}' } };
    project.writeHooks([{ type: 'webhook', url, await: true, timeout: 60, ...callback }]);
    await dispatch(project);
    return await timed(() => dispatch(project));
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function playServe(project) {
  project.writeHooks([toolHook]);
  await project.run(['trust', '--yes']);
  const serve = project.start(['serve', '--json', '--port', '0']);
  const ended = once(serve, 'exit');
  try {
    await Promise.race([once(serve.stdout, 'data'), ended]);
    if (serve.exitCode !== null) throw new Error(`hookloop serve ended with ${serve.exitCode}`);
    const { url, token } = JSON.parse(readFileSync(join(project.home, '.local/state/hookloop/serve.json'), 'utf8'));
    const target = `${url}/hook/claude/PreToolUse?cwd=${project.cwd}`;
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
    await ended;
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
async function runSession(project, prompt) {
  const program = join(import.meta.dirname, '../../test/fixtures/agents/acp-agent.mjs');
  const notes = join(project.home, 'messages');
  const words = [process.execPath, join(import.meta.dirname, 'tap.mjs'), notes, process.execPath, program];
  const agent = `acp:${words.map(word => `'${word}'`).join(' ')}`;
  await project.run(['run', '--agent', agent, '--session', 's', '--prompt', prompt]);
  const lines = readFileSync(notes, 'utf8').trimEnd().split('\n');
  return lines.map(line => JSON.parse(line)).map(({ at, ...more }) => ({ at: BigInt(at), ...more }));
}

/** A project with a home, in which the program runs in a clean environment. */
function createProject(folder, program) {
  const own = mkdtempSync(join(folder, 'project-'));
  const [cwd, home] = [join(own, 'project'), join(own, 'home')];
  for (const made of [join(cwd, '.git'), join(cwd, '.sauna'), home]) mkdirSync(made, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' };
  const start = args => spawn(process.execPath, [program, ...args], { cwd, env, timeout: 120_000 });
  const write = (path, value) => writeFileSync(join(cwd, path), JSON.stringify(value));
  return {
    cwd,
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
