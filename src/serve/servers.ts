import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { createHttpServer } from '../people/http/router.ts';
import { limitSilence, listenOnLoopback } from '../people/http/server.ts';
import { listenPrivately } from '../platform/private-socket.ts';
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
  const thin = createServer(socket => serveThin(socket, { ...serving.thin, accept: keep }));
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
      const listening = await listenEverywhere(ports);
      if (listening.kind === 'failed') await close()();
      return listening;
    },
    async listenAlso(port) {
      const isTaken = (await listenOnLoopback(second, port)).kind === 'listening';
      // One that is not there yet cannot be closed.
      if (isClosed) second.close();
      return isTaken;
    },
    close,
  };

  async function listenEverywhere(ports: readonly number[]): Promise<Listening<Addresses>> {
    const onPort = await listenOnOneOf(first, ports);
    if (onPort.kind === 'failed') return onPort;
    const forThin = await listenOnOneOf(thin, [0]);
    if (forThin.kind === 'failed') return forThin;
    // There is one serve per user: a socket that is left there belongs to no one.
    const onSocket = await listenPrivately(unix, 'serve.sock', serving.env);
    if (onSocket.kind === 'failed') return onSocket;
    path = onSocket.socket;
    return { kind: 'listening', at: { port: onPort.at, thinPort: forThin.at, socket: path } };
  }
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
    reason ||= `port ${port}: ${listening.isBusy ? 'another program is using it' : listening.error.message}`;
  }
  return { kind: 'failed', reason };
}
