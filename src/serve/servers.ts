import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { limitSilence } from '../people/http/server.ts';
import type { HttpServing } from './http/answer.ts';
import { withoutOrigin } from './http/environment.ts';
import { createHttpServer } from './http/server.ts';
import { type Listening, listenOnLoopback, listenOnSocket } from './listen.ts';
import type { ServedAnswer, ServedCall } from './ports.ts';
import { serveThin } from './thin/connection.ts';
import type { Header } from './thin/header.ts';
import { whenLost } from './when-lost.ts';

export interface Serving {
  env: Readonly<Record<string, string | undefined>>;
  token: string;
  hookToken: string;
  thinToken: string;
  proof: string;
  /** Whether this client has to run the program itself. */
  declines(header: Header): boolean;
  answer(call: ServedCall): Promise<ServedAnswer | undefined>;
  answerHttp(call: ServedCall): Promise<ServedAnswer | undefined>;
  show: HttpServing['show'];
}

export interface Places {
  port: number;
  socket: string;
  thinPort: number;
}

export interface Servers {
  /** Takes the first of the ports that is free. */
  listen(ports: readonly number[]): Promise<Listening<Places>>;
  /** Answers HTTP on one more port, if that is free. */
  listenAlso(port: number): Promise<boolean>;
  /** Takes no more connections. What it returns ends those that are left, once their last answers are out. */
  close(): () => Promise<void>;
}

const lastRepliesMs = 500;

/** HTTP for agents on loopback and on a socket in a private folder; beside it the thin client, which knows neither. */
export function createServers({
  env,
  token,
  hookToken,
  thinToken,
  proof,
  declines,
  answer,
  answerHttp,
  show,
}: Serving): Servers {
  const serving = { token, hookToken, env: withoutOrigin(env), home: env['HOME'] ?? '/', answer: answerHttp, show };
  const [http, unix, second] = [createHttpServer(serving), createHttpServer(serving), createHttpServer(serving)];
  const thin = createServer(socket =>
    serveThin(socket, { token: thinToken, proof, declines, whenLost, answer, accept: socket => keep(socket) }),
  );
  const keep = limitSilence(thin);
  let path: string | undefined;
  let isClosed = false;
  const close = (): (() => Promise<void>) => {
    isClosed = true;
    if (path !== undefined) removeSocket(path);
    const closed = [http, unix, second, thin].map(server => new Promise(resolve => server.close(resolve)));
    return async () => {
      for (const server of [http, unix, second]) server.closeIdleConnections();
      const cut = setTimeout(() => {
        for (const server of [http, unix, second]) server.closeAllConnections();
      }, lastRepliesMs);
      const late = new Promise(resolve => setTimeout(resolve, 2 * lastRepliesMs).unref());
      await Promise.race([Promise.all(closed), late]);
      clearTimeout(cut);
    };
  };
  return {
    async listen(ports) {
      const onPort = await listenOnLoopback(http, ports);
      const forThin = onPort.kind === 'failed' ? onPort : await listenOnLoopback(thin, [0]);
      const onSocket = forThin.kind === 'failed' ? forThin : await listenOnSocket(unix, env);
      if (onPort.kind === 'failed' || forThin.kind === 'failed' || onSocket.kind === 'failed') {
        await close()();
        return onSocket as Extract<typeof onSocket, { kind: 'failed' }>;
      }
      path = onSocket.at;
      return { kind: 'listening', at: { port: onPort.at, thinPort: forThin.at, socket: path } };
    },
    async listenAlso(port) {
      const isTaken = (await listenOnLoopback(second, [port])).kind === 'listening';
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
