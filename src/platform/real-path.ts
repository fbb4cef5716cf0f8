import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Where a path leads, also where nothing is yet: whoever writes to a link to nothing makes what it names. */
export function realPath(path: string, hops = 40): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = realPath(parent, hops);
    const target = hops > 0 ? linkAt(path) : undefined;
    return target === undefined ? join(folder, basename(path)) : realPath(resolve(folder, target), hops - 1);
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
