import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { connect as openTlsSocket, rootCertificates } from 'node:tls';
import { Client } from 'undici';
import { onCancel } from '../../platform/cancel.ts';
import { addressFlaw, type Reach } from './addresses.ts';
import type { WebhookRequest } from './request.ts';

export type Lookup = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

export interface Connecting {
  reach: Reach;
  lookup?: Lookup | undefined;
  /** A certificate to trust beside the usual ones, in PEM. */
  ca?: string | undefined;
}

export interface HttpReply {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
  /** Ends the connection whatever state it is in. */
  close(): void;
}

/** The address that a name has, or that was given, is not one this hook may send to. Known by its name: each bundle has a class of its own. */
class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/**
 * Sends one request on a connection of its own: one kept from before may be dead, or go where this hook may not.
 * Redirects are not followed. Rejects if there is no answer.
 */
export async function openRequest(
  { url, method, headers, body }: WebhookRequest,
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
  const ignoreCancel = onCancel(signal, close);
  if (signal.aborted) close();
  try {
    const reply = await client.request({ path: url.pathname + url.search, method, headers, body });
    // An error between here and the reading of the body must not be no one's.
    reply.body.on('error', () => {});
    return { status: reply.statusCode, headers: reply.headers, body: reply.body, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    ignoreCancel();
  }
}

/**
 * A socket to a host. A name is resolved once, all its addresses are checked, and one of just these is connected to: a
 * name server cannot answer differently in between. The callback is called once.
 */
function connect(
  { protocol, hostname, port }: { protocol: string; hostname: string; port: number },
  { reach, lookup = resolveAll, ca }: Connecting,
  callback: (error: Error | null, socket: Socket | null) => void,
): Socket {
  const isTls = protocol === 'https:';
  const isName = isIP(hostname) === 0;
  const flawOf = (address: string): string | undefined => addressFlaw(address, protocol, reach);
  const common = { host: hostname, port, lookup: checked(lookup, flawOf) };
  const socket = isTls
    ? openTlsSocket({
        ...common,
        ALPNProtocols: ['http/1.1'],
        ...(isName && { servername: hostname.replace(/\.$/, '') }),
        ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
      })
    : openSocket(common);
  let called = false;
  const settle = (error: Error | null): void => {
    if (called) return;
    called = true;
    callback(error, error ? null : socket);
  };
  // No name is asked for where the host is an address already.
  const flaw = isName ? undefined : flawOf(hostname);
  if (flaw !== undefined) socket.destroy(new ForbiddenAddress(flaw));
  return socket
    .setNoDelay(true)
    .once(isTls ? 'secureConnect' : 'connect', () => settle(null))
    .on('error', settle);
}

const resolveAll: Lookup = hostname => resolve(hostname, { all: true });

function checked(lookup: Lookup, flawOf: (address: string) => string | undefined): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      addresses => {
        const flaw = addresses.map(({ address }) => flawOf(address)).find(found => found !== undefined);
        const [first] = addresses;
        if (flaw !== undefined) callback(new ForbiddenAddress(flaw), []);
        else if (first === undefined) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), []);
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      error => callback(error, []),
    );
  };
}
