import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { httpAddress, ownUrls } from '../../model/own-entry.ts';
import type { AgentName } from '../index.ts';
import type { Finding } from './report.ts';
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

/** A serve of the sandbox's own, in place of the user's. */
export interface SandboxServe {
  port: number;
  token: string;
  /** Whether the user's agent would have the token. */
  isKnown: boolean;
  /** The token where the user's agent would have it too. */
  env: Env;
  /** With the token in any case. */
  rightEnv: Env;
  /** The address in place of one that is installed. */
  redirected(text: string): string;
}

/** Contract: throws file errors. */
export async function serveForSandbox({ folders }: Sandbox, way: HttpWay, userEnv: Env): Promise<SandboxServe> {
  const state = join(folders.home, '.local/state/hookloop');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const entry = { port: await freePort(), token: randomBytes(32).toString('hex') };
  way.keep(state, entry);
  const given = userEnv[way.variable];
  const isKnown = hasToken(way, userEnv);
  const here = httpAddress(entry.port, '$1', folders.root);
  return {
    ...entry,
    isKnown,
    env: { [way.variable]: isKnown ? entry.token : given },
    rightEnv: { [way.variable]: entry.token },
    redirected: text => text.replace(ownUrls(), here),
  };
}

const hasToken = ({ token, variable }: HttpWay, env: Env): boolean => token !== undefined && env[variable] === token;

/** Why calls of the user's agent would not come to serve, whatever happens in a sandbox. */
export async function httpFindings(agent: AgentName, way: HttpWay, env: Env): Promise<Finding[]> {
  const { tokenFile, variable, url } = way;
  const fix = `put into your shell's profile: export ${variable}="$(cat ${tokenFile})"; then start ${agent} anew`;
  const found: Finding[] = [];
  if (!hasToken(way, env)) {
    const what = env[variable] ? 'is not the token of hookloop serve' : 'is not set';
    const message = `${variable} ${what}, so ${agent} cannot call it, and its prompts and tools are refused`;
    found.push({ severity: 'error', message, fix });
  }
  const wrongPort = await portFinding(agent, way);
  if (wrongPort) return [...found, wrongPort];
  if (url !== undefined) return found;
  return [...found, { severity: 'note', message: 'hookloop serve does not run; the next prompt starts it' }];
}

/** Why calls to the port that entries name come to someone else. */
export async function portFinding(
  agent: AgentName,
  { port, url }: Pick<HttpWay, 'port' | 'url'>,
): Promise<Finding | undefined> {
  if (url === `http://127.0.0.1:${port}`) return undefined;
  const again = `hookloop install ${agent} --http`;
  if (url !== undefined)
    return {
      severity: 'error',
      message: `hookloop serve is at ${url}, and the entries call port ${port}`,
      fix: `stop hookloop serve, start it with hookloop serve --port N, which keeps that port; then: ${again}`,
    };
  if (!(await isTaken(port))) return undefined;
  return {
    severity: 'error',
    message: `port ${port}, which the entries call, is taken by another program or another user's hookloop serve`,
    fix: `hookloop serve --port N takes another port and keeps it; then: ${again}`,
  };
}

export const isTaken = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(1000, () => socket.destroy());
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false)).once('close', () => resolve(false));
  });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}
