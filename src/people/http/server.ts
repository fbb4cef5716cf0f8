import { Server as HttpServer } from 'node:http';
import type { AddressInfo, ListenOptions, Server, Socket } from 'node:net';

const maxSockets = 512;
const silentMs = 10_000;

/**
 * Clients that say nothing must not keep out those who do: the oldest of them goes, not the newest, and none stays for
 * long. Node's own limits do not look at a connection before its first byte. Returns how a client is marked that has
 * shown that it may ask: it stays however full it gets.
 */
export function limitSilence(server: Server): (socket: Socket) => void {
  const silent = new Set<Socket>();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    silent.delete(socket);
    socket.setTimeout(0);
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    silent.add(socket);
    socket.setTimeout(silentMs, () => {
      if (silent.has(socket)) socket.destroy();
    });
    socket.on('close', () => {
      sockets.delete(socket);
      silent.delete(socket);
    });
    const [oldest] = silent;
    if (sockets.size > maxSockets) oldest?.destroy();
  });
  if (server instanceof HttpServer)
    server.on('request', ({ socket }, response) => {
      keep(socket);
      // From here on Node's limit for idle connections counts.
      response.on('close', () => {
        if (sockets.has(socket)) silent.add(socket);
      });
    });
  return keep;
}

export type Listening = { kind: 'listening'; port: number } | { kind: 'failed'; isBusy: boolean; error: Error };

/** The literal address: with a name, another user could stand at its other address. */
export const listenOnLoopback = (server: Server, port: number): Promise<Listening> =>
  listen(server, { host: '127.0.0.1', port, exclusive: true });

/** Contract: never rejects. */
function listen(server: Server, at: ListenOptions): Promise<Listening> {
  return new Promise(resolve => {
    const onError = (error: NodeJS.ErrnoException): void =>
      resolve({ kind: 'failed', isBusy: error.code === 'EADDRINUSE', error });
    server.once('error', onError);
    server.listen(at, () => {
      // A connection that could not be taken, for want of files, is the other side's to see.
      server.off('error', onError).on('error', () => {});
      resolve({ kind: 'listening', port: (server.address() as AddressInfo).port });
    });
  });
}

/** Takes no more connections; those that are being answered have `graceMs` for their replies. */
export function closeServer(server: HttpServer, graceMs: number): Promise<void> {
  return new Promise(resolve => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
