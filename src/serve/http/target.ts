import { statSync } from 'node:fs';

/** What a URL asks for: the words of a command, and the folder that it is for. */
export type Target =
  | { kind: 'call'; words: readonly string[]; cwd: string | undefined; asProcess: boolean }
  | { kind: 'unknown' }
  | { kind: 'no-folder'; words: readonly string[] };

/** `/hook/AGENT`, `/hook/AGENT/EVENT`, `/dispatch/EVENT`, with `?cwd=FOLDER` and `?as=process`. */
export function parseTarget(url: string): Target {
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const parts = path.split('/').slice(1).map(decoded);
  const [command, ...rest] = parts;
  const isWhole = parts.every(part => part !== undefined && isWord(part));
  const isKnown =
    command === 'hook' ? rest.length === 1 || rest.length === 2 : command === 'dispatch' && rest.length === 1;
  if (!isWhole || !isKnown) return { kind: 'unknown' };
  const words = parts as string[];
  const asked = new URLSearchParams(query);
  const cwd = asked.get('cwd') ?? undefined;
  if (cwd !== undefined && !isFolder(cwd)) return { kind: 'no-folder', words };
  return { kind: 'call', words, cwd, asProcess: asked.get('as') === 'process' };
}

/** A word of a URL never becomes an option. */
const isWord = (part: string): boolean => /^\w[\w.:-]{0,99}$/.test(part);

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

const isFolder = (path: string): boolean =>
  path.startsWith('/') && !path.includes('\0') && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
