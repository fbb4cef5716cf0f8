import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject } from '../../model/json.ts';
import { othersMayWrite, ownerFlaw } from '../../platform/files.ts';
import { realPath, stateFolder } from '../../platform/folders.ts';
import type { Gate } from './gated-events.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What was trusted in a file. */
interface TrustedFile {
  hash: string;
  gates: readonly Gate[];
  pipeline?: true;
}

/** What was trusted in a repository. */
export interface TrustedRepository {
  /** Where it was trusted; a real path. */
  root: string;
  at: string;
  files: Readonly<Record<string, TrustedFile>>;
}

/** Everything the user has trusted, by repository. */
type Store =
  | { kind: 'read'; repositories: Readonly<Record<string, TrustedRepository>> }
  /** `remedy`: what the user has to do before trust can be told or given again. */
  | { kind: 'bad'; reason: string; remedy: string };

export function storeFile(env: Env): string | undefined {
  const folder = stateFolder(env);
  return folder && join(folder, 'trust.json');
}

/** Contract: never throws. A store that someone else may have written, or that is damaged, is bad: it is not empty. */
export function readStore(env: Env): Store {
  const file = storeFile(env);
  if (file === undefined) return empty;
  let fd: number | undefined;
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return empty;
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile()) return bad(file, 'it is not a file');
    const flaw = ownerFlaw(stats);
    if (flaw !== undefined) return bad(file, flaw, flaw === othersMayWrite ? `chmod 600 ${file}` : undefined);
    const badFolder = folderFlaw(dirname(file));
    return badFolder ? { kind: 'bad', ...badFolder } : parse(readFileSync(fd, 'utf8'), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return empty;
    if (code === 'ENOTDIR')
      return bad(file, 'there is a file in place of a folder', 'let HOME or XDG_STATE_HOME name a folder');
    if (code === 'EACCES') return bad(file, message, `chmod 600 ${file}`);
    return bad(file, code === 'ELOOP' ? 'it is a link' : message);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Why a folder is no place for the store, and what to do about it. */
export function folderFlaw(folder: string): { reason: string; remedy: string } | undefined {
  const flaw = ownerFlaw(statSync(folder));
  const remedy = flaw === othersMayWrite ? `chmod 700 ${folder}` : `make ${folder} your own`;
  return flaw === undefined ? undefined : { reason: `${folder}: ${flaw}`, remedy };
}

const empty: Store = { kind: 'read', repositories: {} };

const bad = (file: string, reason: string, remedy = `fix or remove ${file}`): Store => ({
  kind: 'bad',
  reason: `${file}: ${reason}`,
  remedy,
});

function parse(text: string, file: string): Store {
  try {
    const { version, repositories } = JSON.parse(text);
    if (version === 1 && isRepositories(repositories)) return { kind: 'read', repositories };
  } catch {
    // Told below.
  }
  return bad(file, 'it is damaged');
}

const isRepositories = (value: unknown): value is Record<string, TrustedRepository> =>
  isObject(value) &&
  Object.values(value).every(
    one =>
      isObject(one) &&
      typeof one['root'] === 'string' &&
      isObject(one['files']) &&
      Object.values(one['files']).every(
        pin =>
          isObject(pin) &&
          typeof pin['hash'] === 'string' &&
          Array.isArray(pin['gates']) &&
          pin['gates'].every(isObject),
      ),
  );

/** What a project's trust belongs to. */
export interface Repository {
  /** The git folder that all worktrees share, else the root; a real path. */
  key: string;
  /** The project's root; a real path. */
  root: string;
}

/** Finds the repository of a root without running git. Contract: never throws. */
export function repositoryOf(folder: string): Repository {
  const root = realPath(resolve(folder));
  return { key: commonFolder(root) ?? root, root };
}

/**
 * A link, a folder that borrows another one (`commondir`) or a file that points elsewhere may come with a copied project:
 * they count only where the repository they name knows this very worktree.
 */
function commonFolder(root: string): string | undefined {
  const path = join(root, '.git');
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (stats.isDirectory()) return isBorrowing(path) ? undefined : path;
    return stats.isFile() && stats.size <= maxPointerBytes ? worktreeOwner(path, root) : undefined;
  } catch {
    return undefined;
  }
}

const maxPointerBytes = 16 * 1024;

const isBorrowing = (folder: string): boolean =>
  lstatSync(join(folder, 'commondir'), { throwIfNoEntry: false }) !== undefined;

function worktreeOwner(path: string, root: string): string | undefined {
  const pointer = /^gitdir: ([^\n]+)\n*$/.exec(readFileSync(path, 'utf8'))?.[1];
  if (pointer === undefined) return undefined;
  const own = realpathSync.native(resolve(root, pointer));
  const common = realpathSync.native(resolve(own, lineOf(join(own, 'commondir'))));
  const isRegistered = dirname(own) === join(common, 'worktrees') && basename(own) !== '';
  const back = resolve(own, lineOf(join(own, 'gitdir')));
  return isRegistered && realpathSync.native(dirname(back)) === root && basename(back) === '.git' ? common : undefined;
}

const lineOf = (path: string): string => readFileSync(path, 'utf8').replace(/\n+$/, '');
