import { BlockList, isIP } from 'node:net';
import type { Scope } from '../../model/index.ts';

/** How far a hook may reach: the user's own files also into private networks. */
export type Reach = 'public' | 'private';

export const reachOf = (scope: Scope): Reach => (scope === 'user' ? 'private' : 'public');

/** Why nothing may be sent to a URL, as far as it shows without asking for the host's address. */
export function urlFlaw({ protocol, hostname }: URL, reach: Reach): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'only https can be sent to (http only to this machine)';
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return addressFlaw(address, protocol, reach);
  if (protocol === 'http:' && hostname !== 'localhost') return plainText;
  return undefined;
}

/** Why a connection may not go to an address. */
export function addressFlaw(address: string, protocol: string, reach: Reach): string | undefined {
  const kind = kindOfAddress(address);
  if (kind === 'loopback') return undefined;
  if (protocol === 'http:') return plainText;
  if (kind === 'unusable') return 'its address is none that can be sent to';
  if (kind === 'private' && reach === 'public')
    return "its address is a private one; only hooks in the user's own files may send there";
  return undefined;
}

const plainText = 'http is allowed only to this machine (localhost, 127.0.0.1, [::1]); use https';

/** Where an address leads. `unusable`: no one's, everyone's, or, as 0.0.0.0, another way to write this machine. */
export type AddressKind = 'loopback' | 'private' | 'unusable' | 'public';

export function kindOfAddress(address: string): AddressKind {
  const family = isIP(address);
  if (family === 0) return 'unusable';
  const version = family === 4 ? 'ipv4' : 'ipv6';
  if (unusable.check(address, version)) return 'unusable';
  if (loopback.check(address, version)) return 'loopback';
  return inside.check(address, version) ? 'private' : 'public';
}

// A rule for IPv4 also hits ::ffff:a.b.c.d, the same address in IPv6 clothes.
const unusable = listOf(['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8']);

const loopback = listOf(['127.0.0.0/8', '::1/128']);

const inside = listOf([
  // Private, carrier-grade NAT, link-local (with the metadata addresses of clouds).
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10'],
  // Azure's metadata, and Oracle's among the addresses for protocols.
  ...['168.63.129.16/32', '192.0.0.0/24'],
  // Documentation, benchmarks, discarded.
  ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '198.18.0.0/15', '2001:db8::/32', '3fff::/20', '100::/64'],
  // IPv6 that carries an IPv4 address inside: NAT64, 6to4, Teredo, SIIT, and the old compatible form.
  ...['64:ff9b::/96', '64:ff9b:1::/48', '192.88.99.0/24', '2002::/16', '2001::/32', '::ffff:0:0:0/96', '::/96'],
]);

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', prefix = ''] = subnet.split('/');
    list.addSubnet(net, Number(prefix), isIP(net) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
