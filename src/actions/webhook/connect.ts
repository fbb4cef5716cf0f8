import { lookup as resolve } from 'node:dns/promises';
import { isIP, type LookupFunction, connect as openSocket, type Socket } from 'node:net';
import { connect as openTlsSocket, rootCertificates } from 'node:tls';
import { addressFlaw, type Reach } from './reach.ts';

export interface Address {
  address: string;
  family: number;
}

export type Lookup = (hostname: string) => Promise<readonly Address[]>;

export interface Connecting {
  reach: Reach;
  lookup?: Lookup;
  /** A certificate to trust beside the usual ones, in PEM. */
  ca?: string;
}

export interface Target {
  protocol: string;
  hostname: string;
  port: number;
}

/** The address that a name has, or that was given, is not one this hook may send to. */
export class ForbiddenAddress extends Error {}

/**
 * A socket to a host. A name is resolved once, all its addresses are checked, and one of just these is connected to: a
 * name server cannot answer differently in between. The callback is called once.
 */
export function connect(
  { protocol, hostname, port }: Target,
  { reach, lookup = resolveAll, ca }: Connecting,
  callback: (error: Error | null, socket: Socket | null) => void,
): Socket {
  const isTls = protocol === 'https:';
  const isName = isIP(hostname) === 0;
  const common = { host: hostname, port, lookup: checked(lookup, address => addressFlaw(address, protocol, reach)) };
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
  const flaw = isName ? undefined : addressFlaw(hostname, protocol, reach);
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
