import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export type FileText =
  | { kind: 'text'; path: string; text: string; mode: number }
  | { kind: 'absent'; path: string }
  | { kind: 'not-utf8' }
  | { kind: 'unusable'; why: string };

const maxBytes = 1024 * 1024;

/** Reads a file that is to be changed; `path` is where it really stands. `inside`: the folder that no link may lead out of. */
export function readFile(file: string, inside: string | undefined): FileText {
  const path = realPath(file);
  if (path === undefined) return { kind: 'unusable', why: 'it is a link that leads nowhere' };
  if (inside !== undefined && !isInside(path, realPath(inside) ?? inside))
    return { kind: 'unusable', why: `it is a link out of the project, to ${path}` };
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return { kind: 'absent', path };
  if (!stats.isFile()) return { kind: 'unusable', why: 'it is not a file' };
  if (stats.size > maxBytes) return { kind: 'unusable', why: 'it is larger than 1 MiB' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    return { kind: 'text', path, text, mode: stats.mode & 0o777 };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code?.startsWith('E') && !code.startsWith('ERR') ? { kind: 'unusable', why: code } : { kind: 'not-utf8' };
  }
}

/** Also for what does not exist yet: its nearest folder that does. Undefined for a dead link. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    if (lstatSync(path, { throwIfNoEntry: false }) || dirname(path) === path) return undefined;
    const parent = realPath(dirname(path));
    return parent === undefined ? undefined : join(parent, basename(path));
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}
