import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Compiled plans and other things that can be made again. */
export const cacheFolder = (env: Env): string | undefined => userFolder(env, 'XDG_CACHE_HOME', '.cache');

/** Output of hooks and other things that are kept for a while. */
export const stateFolder = (env: Env): string | undefined => userFolder(env, 'XDG_STATE_HOME', '.local/state');

/** Which files with long output of hooks there are, in all folders. */
export function spillIndex(env: Env): string | undefined {
  const folder = stateFolder(env);
  return folder === undefined ? undefined : join(folder, 'spills');
}

function userFolder(env: Env, variable: string, underHome: string): string | undefined {
  const named = env[variable];
  if (named?.startsWith('/')) return join(named, 'hookloop');
  const home = env['HOME'];
  return home?.startsWith('/') ? join(home, underHome, 'hookloop') : undefined;
}

/**
 * The user's folders that cannot be used, a sentence for each cause. What is not there yet is made when it is needed;
 * of the config folder nothing is written.
 */
export function folderFlaws(env: Env): string[] {
  const home = env['HOME'];
  const noHome = home?.startsWith('/') ? [] : ['HOME is not set: nothing can be kept from one run to the next'];
  const causes = kinds.flatMap(({ variable, underHome, use, isWritten }) => {
    const named = env[variable]?.startsWith('/') ? env[variable] : undefined;
    if (named === undefined && noHome.length > 0) return [];
    const cause = whyUnusable(named ?? join(home!, underHome), isWritten);
    return cause === undefined ? [] : [{ cause: `${named === undefined ? 'HOME' : variable}: ${cause}`, use }];
  });
  const uses = (cause: string): string => causes.flatMap(one => (one.cause === cause ? [one.use] : [])).join(', ');
  return [
    ...noHome,
    ...[...new Set(causes.map(({ cause }) => cause))].map(
      cause => `${cause}, so hookloop works without ${uses(cause)}`,
    ),
  ];
}

/** Why nothing can be kept in the state folder, for what cannot go without it; HOME may also not be set. */
export function stateFlaw(env: Env): string | undefined {
  const folder = stateFolder(env);
  const cause = folder === undefined ? undefined : whyUnusable(folder, true);
  if (cause === undefined) return undefined;
  return `${cause}, so there can be no ${folder}; set HOME or XDG_STATE_HOME to a folder that can be written to`;
}

const kinds = [
  { variable: 'XDG_CONFIG_HOME', underHome: '.config', use: 'your own hook files', isWritten: false },
  { variable: 'XDG_CACHE_HOME', underHome: '.cache', use: 'compiled plans', isWritten: true },
  { variable: 'XDG_STATE_HOME', underHome: '.local/state', use: 'trust, questions and long output', isWritten: true },
] as const;

/** Why a folder cannot be used or made: the nearest path that is there is no folder, or nothing may be written to it. */
export function whyUnusable(path: string, isWritten: boolean): string | undefined {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return `${folder} is not a folder`;
  try {
    if (isWritten) accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `${folder} may not be written to`;
  }
}

/**
 * A variable that puts one of the user's folders into a project: agents hand on what a project has set (`.env`, `env` in
 * its settings), and a project must not bring the user's hooks and trust along. Undefined where the user's home itself
 * is part of the project.
 */
export function folderInside(root: string, env: Env, home: string): string | undefined {
  if (isWithin(home, root)) return undefined;
  const names = ['HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'];
  return names.find(name => env[name]?.startsWith('/') && isWithin(realPath(env[name]), root));
}

/** Whether there is a folder, itself or behind a link. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** A folder and all those around it, the innermost first. */
export const withFoldersAbove = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...withFoldersAbove(dirname(folder))];

/** Whether an absolute path is a folder or something in it. No folder (an empty one) holds nothing. */
export const isWithin = (path: string, folder: string): boolean =>
  folder !== '' && (path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`));

/** Where a path leads, also where nothing is yet: whoever writes to a link to nothing makes what it names. */
export function realPath(path: string, hops = 40): string {
  let link: string | undefined;
  try {
    // Every word of a command may be a path, and few are one: an error takes as long as twenty looks.
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) link = readlinkSync(path);
    if (stats) return realpathSync.native(path);
  } catch {
    // A link to nothing, or a place that we may not look at.
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const folder = realPath(parent, hops);
  return link === undefined || hops === 0 ? join(folder, basename(path)) : realPath(resolve(folder, link), hops - 1);
}
