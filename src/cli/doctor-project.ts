import { loadAllHooks } from '../app/list.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { pinHooks, wholeHash } from '../hooks/trust/pins.ts';
import { trustStatus } from '../hooks/trust/status.ts';
import type { Io } from './io.ts';

/** How the project's own hooks stand with `hookloop trust`, which decides whether agents may run them. */
export interface ProjectTrust {
  trust: 'trusted' | 'untrusted' | 'unneeded';
  /** What to do about it. */
  fix?: string;
}

export function projectTrust(io: Io): ProjectTrust {
  const look = createLook();
  const all = loadAllHooks(io, look);
  const pins = pinHooks({ ...all, look });
  const { files, doubt } = trustStatus({ pins, root: all.places.root, env: io.env, whole: wholeHash(pins) });
  if (files.size === 0 && doubt === undefined) return { trust: 'unneeded' };
  const isTrusted = doubt === undefined && [...files.values()].every(state => state === 'trusted');
  return isTrusted ? { trust: 'trusted' } : { trust: 'untrusted', fix: 'hookloop trust' };
}
