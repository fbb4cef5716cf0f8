import { createServer, type Server, type ServerOptions } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import { Hono } from 'hono/tiny';
import { limitSilence } from './server.ts';

interface Env {
  Bindings: HttpBindings;
}

export type Router = Hono<Env>;
export type Exchange = Context<Env>;
export type Middleware = MiddlewareHandler<Env>;

/** What fails in it gets no reply at all, so that no one takes the reply for an answer. */
export function createRouter(): Router {
  const router: Router = new Hono();
  router.onError((_, { env }) => {
    env.outgoing.destroy();
    return RESPONSE_ALREADY_SENT;
  });
  return router;
}

/** A reply that says how long it is; hono leaves out its text where only the head was asked for. */
export const replyWith = (status: number, headers: Readonly<Record<string, string>>, text = ''): Response =>
  new Response(text === '' ? null : text, {
    status,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) },
  });

export type Timeouts = Required<Pick<ServerOptions, 'requestTimeout' | 'keepAliveTimeout'>>;

export function createHttpServer({ fetch }: Router, timeouts: Timeouts): Server {
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    // What is left of a body goes with its connection, which is closed then.
    autoCleanupIncoming: false,
    errorHandler: () => replyWith(400, { connection: 'close' }),
  });
  const server = createServer(
    { headersTimeout: 10_000, connectionsCheckingInterval: 1000, ...timeouts },
    (request, response) => {
      // It is checked as it was sent (access.ts). The adapter makes a URL of it, which not every host would let it.
      request.headers.host = 'localhost';
      void listener(request, response);
    },
  );
  limitSilence(server);
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    else socket.destroy();
  });
  return server;
}
