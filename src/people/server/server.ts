import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reasonOf } from '../../platform/files.ts';
import { createBrake } from './brake.ts';
import { keepRoom } from './room.ts';
import { serve } from './serve.ts';

const lastRepliesMs = 1000;

/** Serves every approval of the folder, whichever process asks. It does not keep the process running. */
export function createCallbackServer(folder: string): Server {
  const brake = createBrake();
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 2000, connectionsCheckingInterval: 1000 },
    (request, response) => {
      serve(request, response, { folder, brake }).catch(() => response.destroy());
    },
  );
  keepRoom(server);
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    else socket.destroy();
  });
  return server.unref();
}

export type Listening =
  | { kind: 'listening'; port: number }
  | { kind: 'not-listening'; isBusy: boolean; reason: string };

/** Contract: never rejects. */
export function listen(server: Server, port: number): Promise<Listening> {
  return new Promise(resolve => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isBusy = error.code === 'EADDRINUSE';
      const reason = `the callback port ${port}: ${isBusy ? 'another program has it' : reasonOf(error)}`;
      resolve({ kind: 'not-listening', isBusy, reason });
    });
    // The literal address: with a name, another user could stand at its other address.
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.removeAllListeners('error').on('error', () => {});
      resolve({ kind: 'listening', port: (server.address() as AddressInfo).port });
    });
  });
}

/** Whoever answered gets the reply, although the answer is what lets the session end. */
export function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => {
    const cut = setTimeout(() => server.closeAllConnections(), lastRepliesMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
