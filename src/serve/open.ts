import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { build, version } from '../build.ts';
import { stateFolder } from '../folders.ts';
import { ownIdentity } from '../journal/orphans.ts';
import { removeAddress, type ServeAddress, writeAddress } from './address.ts';
import { joinApprovals } from './approvals.ts';
import { createHttpServer } from './http/server.ts';
import { type HttpEntry, httpEntry, keepHttpEntry } from './http-entry.ts';
import { type Listening, listenOnLoopback, listenOnSocket } from './listen.ts';
import { type AnswerCall, type ServedAnswer, type ServedCall, servedCommands } from './ports.ts';
import { ownProgram } from './program.ts';
import { takeSeat } from './seat.ts';
import { serveThin } from './thin/connection.ts';
import { newToken } from './tokens.ts';
import { whenLost } from './when-lost.ts';
import { createWork } from './work.ts';

export interface ServeOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** The only one to take; absent: the one of the last time, or any. */
  port?: number;
  /** 0 is never. */
  idleMs: number;
  /** How long running requests may take once serve has to end. */
  graceMs?: number;
  /** The file that was started. */
  program: string;
  answer: AnswerCall;
}

export type Ending = 'idle' | 'replaced' | 'stopped';

export type Opened =
  | { kind: 'open'; address: ServeAddress; ended: Promise<Ending>; stop(): void }
  | { kind: 'busy'; pid?: number; url?: string }
  | { kind: 'failed'; reason: string };

const usualGraceMs = 10_000;

/** The one serve of a user: host hooks over HTTP, the thin client, callbacks. */
export async function openServe(options: ServeOptions): Promise<Opened> {
  const state = stateFolder(options.env);
  if (state === undefined) return { kind: 'failed', reason: 'HOME is not set, so there is no place for serve.json' };
  try {
    mkdirSync(join(state, 'serve'), { recursive: true, mode: 0o700 });
    const seat = await takeSeat(state, build);
    if (seat.kind === 'busy') return seat;
    const opened = await open(options, state, seat.release);
    if (opened.kind !== 'open') await seat.release();
    return opened;
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

async function open(options: ServeOptions, state: string, release: () => Promise<void>): Promise<Opened> {
  const { env, idleMs, graceMs = usualGraceMs } = options;
  const program = ownProgram(options.program);
  const [token, proof, thinToken] = [newToken(), newToken(), newToken()];
  const entry = httpEntry(state);
  const work = createWork(idleMs, () => leave('idle'));
  const answer = (call: ServedCall): Promise<ServedAnswer | undefined> =>
    work.take(call.signal, async signal => {
      const answered = await options.answer({ ...call, signal });
      return signal.aborted ? undefined : answered;
    });
  const answerOverHttp = async (call: ServedCall): Promise<ServedAnswer | undefined> => {
    const answered = await answer(call);
    // There is nobody to fall back to, so the old one answers once more.
    if (program.isReplaced()) leave('replaced');
    return answered;
  };
  const http = { token, hookToken: entry.token, env, home: env['HOME'] ?? '/', answer: answerOverHttp };
  const declines = ({ words, program: theirs }: { words: readonly string[]; program: string }): string | undefined => {
    if (isLeaving) return 'it is leaving';
    if (!servedCommands.includes(words[0] ?? '')) return 'it is not served';
    if (program.isStartedBy(theirs) && !program.isReplaced()) return undefined;
    leave('replaced');
    return 'another version is installed';
  };
  const thin = createServer({ noDelay: true }, socket =>
    serveThin(socket, { token: thinToken, proof, declines, whenLost, answer }),
  );
  const servers = { http: createHttpServer(http), socket: createHttpServer(http), thin };
  const places = await listenAll(servers, options, entry);
  if (places.kind === 'failed') {
    await work.finish(0);
    for (const server of Object.values(servers)) server.close();
    return places;
  }
  const { port, socket, thinPort } = places.at;
  if (options.port !== undefined && options.port !== 0) keepHttpEntry(state, { ...entry, port });
  const address: ServeAddress = {
    url: `http://127.0.0.1:${port}`,
    socket,
    ...ownIdentity(),
    version,
    build,
    token,
    thin: `${thinPort} ${thinToken} ${proof}`,
  };
  writeAddress(state, address);
  const leaveApprovals = await joinApprovals(env);
  let isLeaving = false;
  let end = (_ending: Ending): void => {};
  const ended = new Promise<Ending>(resolve => {
    end = resolve;
  });
  /** The address goes first: whoever reads it finds somebody who listens. */
  function leave(ending: Ending): void {
    if (isLeaving) return;
    isLeaving = true;
    removeAddress(state, address);
    rmSync(socket, { force: true });
    const closed = Object.values(servers).map(server => new Promise(resolve => server.close(resolve)));
    void work
      .finish(graceMs)
      .then(async () => {
        // Answers that were just written still have to leave.
        const cut = setTimeout(() => {
          servers.http.closeAllConnections();
          servers.socket.closeAllConnections();
        }, lastRepliesMs);
        servers.http.closeIdleConnections();
        servers.socket.closeIdleConnections();
        await Promise.race([Promise.all(closed), new Promise(resolve => setTimeout(resolve, 2 * lastRepliesMs))]);
        clearTimeout(cut);
        await leaveApprovals();
        await release();
      })
      .finally(() => end(ending));
  }
  return { kind: 'open', address, ended, stop: () => leave('stopped') };
}

const lastRepliesMs = 500;

interface Places {
  port: number;
  socket: string;
  thinPort: number;
}

async function listenAll(
  servers: { http: Server; socket: Server; thin: Server },
  { env, port }: ServeOptions,
  entry: HttpEntry,
): Promise<Listening<Places>> {
  const http = await listenOnLoopback(servers.http, port === undefined ? [entry.port, 0] : [port]);
  if (http.kind === 'failed') return http;
  const thin = await listenOnLoopback(servers.thin, [0]);
  if (thin.kind === 'failed') return thin;
  const socket = await listenOnSocket(servers.socket, env);
  if (socket.kind === 'failed') return socket;
  return { kind: 'listening', at: { port: http.at, socket: socket.at, thinPort: thin.at } };
}
