import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Client } from 'undici';
import { type Connecting, connect } from './connect.ts';

export interface HttpRequest {
  url: URL;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

export interface HttpReply {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
  /** Ends the connection whatever state it is in. */
  close(): void;
}

/**
 * Sends one request on a connection of its own: one kept from before may be dead, or go where this hook may not.
 * Redirects are not followed. Rejects if there is no answer.
 */
export async function openRequest(
  { url, method, headers, body }: HttpRequest,
  connecting: Connecting,
  signal: AbortSignal,
): Promise<HttpReply> {
  let socket: Socket | undefined;
  const client = new Client(url.origin, {
    pipelining: 0,
    // The caller's signal covers all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: ({ protocol, hostname, port }, callback) => {
      const target = { protocol, hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
      socket = connect(target, connecting, (error, open) => (open ? callback(null, open) : callback(error!, null)));
    },
  });
  const close = (): void => {
    socket?.destroy();
    client.destroy().catch(() => {});
  };
  // The request itself hears of an abort only once it is connected, which may be never.
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  try {
    const reply = await client.request({ path: url.pathname + url.search, method, headers, body });
    // An error between here and the reading of the body must not be nobody's.
    reply.body.on('error', () => {});
    return { status: reply.statusCode, headers: reply.headers, body: reply.body, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener('abort', close);
  }
}
