import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/**
 * Whether another user's program is at the other end. Browsers send a cookie to every port of its host, so a page that
 * another user of this machine serves learns it; it must be of no use there. Only Linux tells whose a connection is.
 */
export function isOtherUser(socket: Socket): boolean {
  const uid = process.platform === 'linux' ? ownerOf(socket) : undefined;
  // Root may read everything anyway, and stands in for the user where connections are forwarded.
  return uid !== undefined && uid !== 0 && uid !== process.getuid?.();
}

export function ownerOf({ remoteAddress = '', remotePort = 0, localPort = 0 }: Socket): number | undefined {
  const theirs = `${hexOf(remoteAddress)}:${portOf(remotePort)}`;
  const ours = `${hexOf('127.0.0.1')}:${portOf(localPort)}`;
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of linesOf(table)) {
      const [, local = '', remote = '', , , , , uid] = line.trim().split(/\s+/);
      if (local.endsWith(theirs) && remote.endsWith(ours)) return Number(uid);
    }
  return undefined;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'latin1').split('\n');
  } catch {
    return [];
  }
}

/** As the kernel of a little-endian machine writes it: 127.0.0.1 is 0100007F. */
const hexOf = (address: string): string =>
  Buffer.from(address.split('.').map(Number)).reverse().toString('hex').toUpperCase();

const portOf = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
