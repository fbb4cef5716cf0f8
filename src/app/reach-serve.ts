import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTaken } from '../hosts/doctor/http-way.ts';
import type { Answer } from '../hosts/host.ts';
import { type AgentName, agentNamed, hosts } from '../hosts/index.ts';
import { refusalReply } from '../hosts/reply.ts';
import { keepConversation } from '../hosts/sessions/session-memory.ts';
import { ownUrls } from '../model/own-entry.ts';
import { stateFolder } from '../platform/folders.ts';
import { withoutNodeOptions } from '../platform/node-options.ts';
import { isServed } from '../session/control/address.ts';
import { conversationIn } from './answer-in-session.ts';
import type { Env, Where } from './context.ts';
import { type HttpEntry, httpEntry, httpPort, readAddress, tokenFile, tokenVariable } from './serve-address.ts';

interface Call {
  agent: string;
  event: string | undefined;
  input: string;
}

/**
 * Before the first call of an agent whose further calls go straight to serve: starts it where it does not run. Where it
 * cannot be reached gates would vanish, so this call is refused; undefined: all is well.
 */
export async function reachServe(
  { agent: name, event = '', input }: Call,
  { env, cwd, program }: Where & { program: string },
): Promise<Answer | undefined> {
  const agent = agentNamed(name);
  if (!agent) return undefined;
  const state = stateFolder(env);
  const [variable = ''] = hosts[agent].projectVariables;
  const why =
    state === undefined
      ? 'HOME is not set'
      : (whyForOthers(agent, env[variable] || cwd, httpPort(state)) ?? (await whyNotReached(state, env, program)));
  if (why === undefined) rememberSession(join(state!, 'hosts'), input, env);
  return why === undefined
    ? undefined
    : hosts[agent].answer(
        event,
        refusalReply(`hookloop serve, which calls of ${agent} go to, cannot be reached: ${why}`),
      );
}

async function whyNotReached(state: string, env: Env, program: string): Promise<string | undefined> {
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const entry = httpEntry(state);
    const wrong = `export ${tokenVariable}="$(cat ${tokenFile(state)})" belongs in your shell's profile; then restart the agent`;
    if (!env[tokenVariable]) return `${tokenVariable} is not set. ${wrong}`;
    if (env[tokenVariable] !== entry.token) return `${tokenVariable} is not the token that serve knows. ${wrong}`;
    return await whyNotThere(state, entry, () => start(program, env));
  } catch (error) {
    return (error as Error).message;
  }
}

/** Entries that came with a copied folder ask for the hooks of the folder they were installed in; old ones may ask another program. */
function whyForOthers(agent: AgentName, project: string, port: number): string | undefined {
  const text = orElse('', () => readFileSync(join(project, entriesFile), 'utf8'));
  const entries = [...text.matchAll(ownUrls())];
  const here = `Here: hookloop install ${agent} --http`;
  const other = entries
    .map(([, , root = '']) => root)
    .find(root => realOrNothing(decoded(root)) !== realOrNothing(project));
  if (other !== undefined) return `its entries were installed in ${decoded(other)}. ${here}`;
  const old = entries.map(([url]) => new URL(url)).find(url => url.port !== String(port));
  return old && `its entries call port ${old.port}, but serve now uses ${port}. ${here}`;
}

/** The only file that such entries are written to. */
const entriesFile = '.claude/settings.local.json';

/** What cannot be read or found is as good as empty. */
function orElse(otherwise: string, read: () => string): string {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

const realOrNothing = (path: string): string => orElse('', () => realpathSync(path));

const decoded = (text: string): string => orElse(text, () => decodeURIComponent(text));

/** Longer than a busy machine needs, and shorter than people wait. */
const patienceMs = 10_000;

async function whyNotThere(state: string, { port }: HttpEntry, startServe: () => void): Promise<string | undefined> {
  const url = `http://127.0.0.1:${port}`;
  let address = readAddress(state);
  if (!address) startServe();
  for (const untilMs = performance.now() + patienceMs; !address && performance.now() < untilMs; ) {
    await delay(20);
    address = readAddress(state);
  }
  if (!address) return 'it does not start; run hookloop serve to see why';
  if (address.url === url) return undefined;
  const isOthers = await isTaken(port);
  // It may have the port a moment before it has written so.
  for (const untilMs = performance.now() + (isOthers ? momentMs : comingMs); performance.now() < untilMs; ) {
    if (readAddress(state)?.url === url) return undefined;
    await delay(20);
  }
  const where = `and serve is at ${address.url}`;
  return isOthers
    ? `another program uses port ${port}, ${where}. End that program and try again; or stop serve (kill ${address.pid}), start it with hookloop serve --port N, and install again`
    : `nothing listens on port ${port}, ${where}. End it (kill ${address.pid}) and try again`;
}

/** Where the port has become free, serve takes it by itself. */
const comingMs = 2000;
const momentMs = 200;

/** A turn may work for hours between two calls. */
const idleSeconds = 12 * 60 * 60;

function start(program: string, env: Env): void {
  const child = spawn(process.execPath, [realpathSync(program), 'serve', '--idle', String(idleSeconds)], {
    ...{ cwd: '/', env: withoutNodeOptions(env), detached: true, stdio: 'ignore' },
  });
  // Told by the wait for it.
  child.on('error', () => {});
  child.unref();
}

function rememberSession(memory: string, input: string, env: Env): void {
  const session = env['HOOKLOOP_SESSION_DIR'];
  const conversation = conversationIn(input);
  if (!session?.startsWith('/') || conversation === undefined || !isServed(session)) return;
  keepConversation(memory, { conversation, session });
}
