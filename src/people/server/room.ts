import { Server as HttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';

export interface Room {
  /** Its client has shown that it may ask, or is being answered: it stays however full it gets. */
  keep(socket: Socket): void;
  release(socket: Socket): void;
}

const maxSockets = 512;
const silentMs = 10_000;

/**
 * Clients that say nothing must not keep out those who do: the oldest of them goes, not the newest, and none stays for
 * long. Node's own limits do not look at a connection before its first byte.
 */
export function keepRoom(server: Server): Room {
  const waiting = new Set<Socket>();
  const sockets = new Set<Socket>();
  const wait = (socket: Socket): void => {
    waiting.add(socket);
    socket.setTimeout(silentMs, () => {
      if (waiting.has(socket)) socket.destroy();
    });
  };
  const room: Room = {
    keep(socket) {
      waiting.delete(socket);
      socket.setTimeout(0);
    },
    release: socket => {
      if (sockets.has(socket)) waiting.add(socket);
    },
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    wait(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      waiting.delete(socket);
    });
    const [oldest] = waiting;
    if (sockets.size > maxSockets) oldest?.destroy();
  });
  if (server instanceof HttpServer)
    server.on('request', ({ socket }, response) => {
      room.keep(socket);
      // From here on Node's limit for idle connections counts.
      response.on('close', () => room.release(socket));
    });
  return room;
}
