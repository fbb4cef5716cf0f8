import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { endianness, release as kernel } from 'node:os';

/** Where Linux tells whose connections are. */
export const tables: readonly string[] = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * Whether another user's program is, or may be, at the other end. Browsers send a cookie to every port of its host, so a
 * page that another user of this machine serves learns it; it must be of no use there. Only Linux tells whose a connection
 * is, and whom it does not tell there is nobody's friend. On other systems the cookie alone counts.
 */
export function isOtherUser(
  socket: Socket,
  { tables: files = tables, release = kernel() }: { tables?: readonly string[]; release?: string } = {},
): boolean {
  if (process.platform !== 'linux') return false;
  // A table that changes while it is read may lack a line.
  const uid = ownerOf(socket, files) ?? ownerOf(socket, files);
  // A browser of Windows reaches the Linux inside of it from outside of all tables.
  if (uid === undefined) return !/microsoft/i.test(release);
  // Root may read everything anyway, and stands in for the user where connections are forwarded.
  return uid !== 0 && uid !== process.getuid?.();
}

function ownerOf(
  { remoteAddress = '', remotePort = 0, localPort = 0 }: Socket,
  files: readonly string[],
): number | undefined {
  const theirs = `${hexOf(remoteAddress)}:${portOf(remotePort)}`;
  const ours = `${hexOf('127.0.0.1')}:${portOf(localPort)}`;
  for (const file of files)
    for (const line of linesOf(file)) {
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

/** As the kernel writes it: 127.0.0.1 is 0100007F where the lowest byte of a number comes first. */
function hexOf(address: string): string {
  const bytes = Buffer.from(address.split('.').map(Number));
  return (endianness() === 'LE' ? bytes.reverse() : bytes).toString('hex').toUpperCase();
}

const portOf = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
