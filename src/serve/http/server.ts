import { createServer, type Server } from 'node:http';
import { limitSilence } from '../../people/http/server.ts';
import { answerRequest, type HttpServing } from './answer.ts';

export function createHttpServer(serving: HttpServing): Server {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 60_000, keepAliveTimeout: 30_000, connectionsCheckingInterval: 1000 },
    (request, response) => {
      answerRequest(request, response, serving).catch(() => response.destroy());
    },
  );
  limitSilence(server);
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    else socket.destroy();
  });
  return server;
}
