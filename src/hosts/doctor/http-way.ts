import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { httpAddress, ownUrls } from '../../model/own-entry.ts';
import type { AgentName } from '../index.ts';
import { type Finding, finding } from './agent-report.ts';
import type { Sandbox } from './sandbox.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What is known of serve, which calls over HTTP go to. */
export interface HttpWay {
  /** The port that entries should name. */
  port: number;
  /** Undefined where there has never been one. */
  token: string | undefined;
  tokenFile: string;
  /** The variable that the agent takes the token from. */
  variable: string;
  /** Where serve is now. */
  url: string | undefined;
  /** Tells the serve of a state folder where it has to be. Contract: throws file errors. */
  keep(state: string, entry: { port: number; token: string }): void;
}

export type SandboxServe = Awaited<ReturnType<typeof serveForSandbox>>;

/** A serve of the sandbox's own, in place of the user's. Contract: throws file errors. */
export async function serveForSandbox({ folders }: Sandbox, way: HttpWay, userEnv: Env) {
  const { variable, keep } = way;
  const state = join(folders.home, '.local/state/hookloop');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const [port, token] = [await freePort(), randomBytes(32).toString('hex')];
  keep(state, { port, token });
  const isKnown = hasToken(way, userEnv);
  return {
    token,
    /** Whether the user's agent would have the token. */
    isKnown,
    /** The token where the user's agent would have it too. */
    env: { [variable]: isKnown ? token : userEnv[variable] } as Env,
    /** With the token in any case. */
    rightEnv: { [variable]: token } as Env,
    /** The address in place of one that is installed. */
    redirected: (text: string): string => text.replace(ownUrls(), httpAddress(port, '$1', folders.root)),
  };
}

const hasToken = ({ token, variable }: HttpWay, env: Env): boolean => token !== undefined && env[variable] === token;

/** Why calls of the user's agent would not come to serve, whatever happens in a sandbox. */
export async function httpFindings(agent: AgentName, way: HttpWay, env: Env): Promise<Finding[]> {
  const { tokenFile, variable, url } = way;
  const found: Finding[] = [];
  if (!hasToken(way, env)) {
    const what = env[variable] ? 'is not the token of hookloop serve' : 'is not set';
    const message = `${variable} ${what}, so ${agent} cannot call it, and its prompts and tools are refused`;
    const fix = `put into your shell's profile: export ${variable}="$(cat ${tokenFile})"; then restart ${agent}`;
    found.push(finding('error', message, fix));
  }
  const wrongPort = await portFinding(agent, way);
  if (wrongPort) found.push(wrongPort);
  else if (url === undefined) found.push(finding('note', 'hookloop serve is not running; the next prompt starts it'));
  return found;
}

/** Why calls to the port that entries name come to someone else. */
export async function portFinding(
  agent: AgentName,
  { port, url }: Pick<HttpWay, 'port' | 'url'>,
): Promise<Finding | undefined> {
  if (url === `http://127.0.0.1:${port}`) return undefined;
  const again = `hookloop install ${agent} --http`;
  if (url !== undefined)
    return finding(
      'error',
      `hookloop serve is at ${url}, but the entries call port ${port}`,
      `stop hookloop serve, start it with hookloop serve --port N, which keeps that port; then: ${again}`,
    );
  if (!(await isTaken(port))) return undefined;
  return finding(
    'error',
    `port ${port}, which the entries call, is taken by another program or another user's hookloop serve`,
    `hookloop serve --port N takes another port and keeps it; then: ${again}`,
  );
}

export const isTaken = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1').once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('error', () => {}).once('close', () => resolve(false));
  });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
