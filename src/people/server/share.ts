import type { Server } from 'node:http';
import { proveOurs } from './challenge.ts';
import { closeServer, createCallbackServer, listen } from './server.ts';

/** `release` ends once running requests have their replies. */
export type ServerSeat =
  | { kind: 'seated'; port: number; release(): Promise<void> }
  | { kind: 'failed'; reason: string };

/**
 * Makes sure that some process of the user serves approvals at the port: this one, or one that does so already and whose
 * place we take when it ends. Where a foreign program has the port, a port nearby is used.
 */
export async function joinServer(folder: string, port: number): Promise<ServerSeat> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return { kind: 'failed', reason: `${port} is not a port for callbacks` };
  let reason = '';
  for (const candidate of [port, ...nearby(port), 0]) {
    const seat = await seatAt(folder, candidate);
    if (seat.kind === 'seated') return seat;
    reason ||= seat.reason;
  }
  return { kind: 'failed', reason };
}

interface Shared {
  port: number;
  users: number;
  /** Absent while another process serves. */
  server?: Server;
  retry?: NodeJS.Timeout;
  closing?: Promise<void>;
}

/** Of this process, by folder and port. */
const shared = new Map<string, Promise<Shared | { reason: string }>>();
const takeoverMs = 1000;

/** The same ones every time, so that all sessions of the user that must move meet again. */
const nearby = (port: number): number[] =>
  Array.from({ length: 20 }, (_, index) => port + 1 + index).filter(each => each <= 65_535);

async function seatAt(folder: string, port: number): Promise<ServerSeat> {
  const key = `${folder}\0${port}`;
  const known = shared.get(key);
  const entering = known ?? enter(folder, port);
  if (!known && port !== 0) shared.set(key, entering);
  const place = await entering;
  if ('reason' in place) {
    shared.delete(key);
    return { kind: 'failed', reason: place.reason };
  }
  if (place.closing) {
    await place.closing;
    return seatAt(folder, port);
  }
  place.users += 1;
  return { kind: 'seated', port: place.port, release: once(() => leave(folder, place)) };
}

async function enter(folder: string, port: number): Promise<Shared | { reason: string }> {
  const server = createCallbackServer(folder);
  const listening = await listen(server, port);
  if (listening.kind === 'listening') {
    const place = { port: listening.port, users: 0, server };
    if (port === 0) shared.set(`${folder}\0${place.port}`, Promise.resolve(place));
    return place;
  }
  if (!listening.isBusy || !(await proveOurs(folder, port))) return { reason: listening.reason };
  const place: Shared = { port, users: 0 };
  place.retry = setInterval(() => takeOver(folder, place), takeoverMs).unref();
  return place;
}

async function takeOver(folder: string, place: Shared): Promise<void> {
  if (place.server) return;
  const server = createCallbackServer(folder);
  place.server = server;
  if ((await listen(server, place.port)).kind !== 'listening') delete place.server;
  else if (place.closing) await closeServer(server);
  else clearInterval(place.retry);
}

async function leave(folder: string, place: Shared): Promise<void> {
  place.users -= 1;
  if (place.users > 0) return;
  clearInterval(place.retry);
  place.closing = place.server ? closeServer(place.server) : Promise.resolve();
  await place.closing;
  shared.delete(`${folder}\0${place.port}`);
}

function once(release: () => Promise<void>): () => Promise<void> {
  let released: Promise<void> | undefined;
  return () => {
    released ??= release();
    return released;
  };
}
