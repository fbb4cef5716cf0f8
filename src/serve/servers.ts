import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createHttpServer } from '../people/http/router.ts';
import { limitSilence, listen, listenOnLoopback } from '../people/http/server.ts';
import { makePrivate, socketFolders } from '../session/control/socket-folder.ts';
import { whenLost } from './hook-replies.ts';
import { createHookRouter, type HookRoutes } from './hook-routes.ts';
import { serveThin, type ThinServing } from './thin/connection.ts';

export interface Serving extends HookRoutes {
  thin: Pick<ThinServing, 'token' | 'proof' | 'declines' | 'answer'>;
}

export interface Addresses {
  port: number;
  socket: string;
  thinPort: number;
}

export type Listening<At> = { kind: 'listening'; at: At } | { kind: 'failed'; reason: string };

export interface Servers {
  /** Takes the first of the ports that is free. */
  listen(ports: readonly number[]): Promise<Listening<Addresses>>;
  /** Answers HTTP on one more port, if that is free. */
  listenAlso(port: number): Promise<boolean>;
  /** Takes no more connections. What it returns ends those that are left, once their last answers are out. */
  close(): () => Promise<void>;
}

const lastRepliesMs = 500;

/** HTTP for agents on loopback and on a socket in a private folder; beside it the thin client, which knows neither. */
export function createServers(serving: Serving): Servers {
  const router = createHookRouter(serving);
  const overHttp = () => createHttpServer(router, { requestTimeout: 60_000, keepAliveTimeout: 30_000 });
  const [first, second, unix] = [overHttp(), overHttp(), overHttp()];
  const http = [first, second, unix];
  const thin = createServer(socket => serveThin(socket, { ...serving.thin, whenLost, accept: keep }));
  const keep = limitSilence(thin);
  let path: string | undefined;
  let isClosed = false;
  const close = (): (() => Promise<void>) => {
    isClosed = true;
    if (path !== undefined) removeSocket(path);
    const closed = [...http, thin].map(server => new Promise(resolve => server.close(resolve)));
    return async () => {
      for (const server of http) server.closeIdleConnections();
      const cut = setTimeout(() => {
        for (const server of http) server.closeAllConnections();
      }, lastRepliesMs);
      const late = new Promise(resolve => setTimeout(resolve, 2 * lastRepliesMs).unref());
      await Promise.race([Promise.all(closed), late]);
      clearTimeout(cut);
    };
  };
  return {
    async listen(ports) {
      const onPort = await listenOnOneOf(first, ports);
      const forThin = onPort.kind === 'failed' ? onPort : await listenOnOneOf(thin, [0]);
      const onSocket = forThin.kind === 'failed' ? forThin : await listenOnSocket(unix, serving.env);
      if (onPort.kind === 'failed' || forThin.kind === 'failed' || onSocket.kind === 'failed') {
        await close()();
        return onSocket as Extract<typeof onSocket, { kind: 'failed' }>;
      }
      path = onSocket.at;
      return { kind: 'listening', at: { port: onPort.at, thinPort: forThin.at, socket: path } };
    },
    async listenAlso(port) {
      const isTaken = (await listenOnLoopback(second, port)).kind === 'listening';
      // One that is not there yet cannot be closed.
      if (isClosed) second.close();
      return isTaken;
    },
    close,
  };
}

function removeSocket(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The next serve takes its place.
  }
}

async function listenOnOneOf(server: Server, ports: readonly number[]): Promise<Listening<number>> {
  let reason = '';
  for (const port of ports) {
    const listening = await listenOnLoopback(server, port);
    if (listening.kind === 'listening') return { kind: 'listening', at: listening.port };
    reason ||= `port ${port}: ${listening.isBusy ? 'another program has it' : listening.error.message}`;
  }
  return { kind: 'failed', reason };
}

/** A system takes 108 bytes, or 104. */
const maxPathBytes = 100;

/** In a folder that only the user can enter. Contract: the caller is the only serve of the user, so a socket left there is no one's. */
async function listenOnSocket(server: Server, env: Serving['env']): Promise<Listening<string>> {
  const reasons: string[] = [];
  for (const folder of socketFolders(env)) {
    const path = join(folder, 'serve.sock');
    const reason =
      Buffer.byteLength(path) > maxPathBytes
        ? 'the path is too long for a socket'
        : (makePrivate(folder, env) ?? (await listenAt(server, path)));
    if (reason === undefined) return { kind: 'listening', at: path };
    reasons.push(`${folder}: ${reason}`);
  }
  return { kind: 'failed', reason: `no folder for a socket (${reasons.join('; ')})` };
}

async function listenAt(server: Server, path: string): Promise<string | undefined> {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
    const listening = await listen(server, { path });
    if (listening.kind === 'failed') return listening.isBusy ? 'another program has it' : listening.error.message;
    // Until here the folder alone has kept others away.
    chmodSync(path, 0o600);
    return undefined;
  } catch (error) {
    server.close();
    return (error as Error).message;
  }
}
