import { lstatSync, mkdirSync, readdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { reasonOf, syncFolder, writeAtomically } from '../../platform/files.ts';
import type { SessionFiles } from '../paths.ts';

/** It cannot be used, or a link stands in its way: what is written would land elsewhere. */
interface Unusable {
  kind: 'failed';
  reason: string;
}

/** Makes the session's folder, which must be new, and has its name on disk before it returns. */
export function createSessionFolder(paths: SessionFiles): { kind: 'created' } | { kind: 'exists' } | Unusable {
  const { trusted, parts } = paths.inside;
  try {
    const reason = makeFolders(trusted, parts.slice(0, -1)) ?? linkAt(paths.folder);
    if (reason !== undefined) return { kind: 'failed', reason };
    if (!makeFolder(paths.folder)) return { kind: 'exists' };
    syncFolder(dirname(paths.folder));
    return { kind: 'created' };
  } catch (error) {
    return { kind: 'failed', reason: `${paths.folder}: ${reasonOf(error)}` };
  }
}

/**
 * Puts what every session has into its folder, on disk before it returns. Only for whoever holds the session: its maker may
 * have died, or been overtaken, on the way here. Contract: throws the system's error.
 */
export function furnishSessionFolder(paths: SessionFiles): void {
  makeFolder(paths.current.folder);
  writeAtomically(paths.progress, `# Progress of ${paths.name}\n\n`);
  syncFolder(paths.folder);
}

/** Whether a session's folder is there, and is really where its path says. */
export function checkSessionFolder(paths: SessionFiles): { kind: 'found' } | { kind: 'absent' } | Unusable {
  const { trusted, parts } = paths.inside;
  try {
    const stats = lstatSync(paths.folder, { throwIfNoEntry: false });
    if (!stats) return { kind: 'absent' };
    const reason =
      linkAt(paths.folder) ?? (stats.isDirectory() ? strayed(trusted, parts) : `${paths.folder} is not a folder`);
    return reason === undefined ? { kind: 'found' } : { kind: 'failed', reason };
  } catch (error) {
    return { kind: 'failed', reason: `${paths.folder}: ${reasonOf(error)}` };
  }
}

/**
 * Why a session's folder may not be used: a link in it, through which something would be read or written elsewhere. A
 * project may bring such a folder along, so it is looked through before a session is taken over; what a child works on in
 * its worktree is the project's.
 */
export function findLink({ folder }: SessionFiles): string | undefined {
  try {
    const path = firstLink(folder, folder);
    if (path === undefined) return undefined;
    return `${path} is a link, and in the folder of a session links are not followed: remove it`;
  } catch (error) {
    return `${folder}: ${reasonOf(error)}`;
  }
}

function firstLink(folder: string, session: string): string | undefined {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink() && !isOwnLink(path, session)) return path;
    const isSession = folder === session || basename(dirname(folder)) === 'children';
    if (!entry.isDirectory() || (entry.name === 'worktree' && isSession)) continue;
    const found = firstLink(path, session);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `current/context.json` follows the iteration; one that is just being replaced has a longer name, which a crash may leave. */
const ownLink = /\/current\/context\.json(\.[\d-]+\.tmp)?$/;

const isOwnLink = (path: string, session: string): boolean =>
  ownLink.test(path) && resolve(dirname(path), readlinkSync(path)).startsWith(session + sep);

/** Makes what is not there of folders inside each other. Returns which link is in the way. Contract: throws the system's error. */
export function makeFolders(trusted: string, parts: readonly string[]): string | undefined {
  for (const [index] of parts.entries()) {
    const folder = join(trusted, ...parts.slice(0, index + 1));
    const link = linkAt(folder);
    if (link !== undefined) return link;
    if (makeFolder(folder)) syncFolder(dirname(folder));
  }
  if (parts[0] === '.hookloop') keepOutOfGit(join(trusted, '.hookloop'));
  return strayed(trusted, parts);
}

/** True where it is new. The user's own: no one else reads prompts and outputs. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const linkAt = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    ? `${path} is a link: sessions are kept only in real folders of the project`
    : undefined;

function strayed(trusted: string, parts: readonly string[]): string | undefined {
  const real = realpathSync(join(trusted, ...parts));
  return real === join(realpathSync(trusted), ...parts)
    ? undefined
    : `${join(trusted, ...parts)} leads to ${real}, outside the project's sessions`;
}

/** Names itself too, so that the file does not show up as a change of the first iteration. One that is there is the user's. */
function keepOutOfGit(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '/.gitignore\n/sessions/\n', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
