import { isIP } from 'node:net';
import type { Scope } from '../../model/index.ts';
import { kindOfAddress } from './addresses.ts';

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
