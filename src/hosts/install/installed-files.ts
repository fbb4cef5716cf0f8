import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder, writeAtomically } from '../../platform/files.ts';
import { isWithin } from '../../platform/folders.ts';
import { git } from '../../workspace/git.ts';

/** `mark`: that of the byte order, which is no part of the text; mostly empty. */
export type FileText =
  | { kind: 'text'; path: string; mark: string; text: string; mode: number }
  | { kind: 'absent'; path: string }
  | { kind: 'not-utf8' }
  | { kind: 'unusable'; why: string };

const maxBytes = 1024 * 1024;

/** Reads a file that is to be changed; `path` is where it really stands. `inside`: the folder that no link may lead out of. */
export function readFile(file: string, inside: string | undefined): FileText {
  const path = realPath(file);
  if (path === undefined) return { kind: 'unusable', why: 'it is a link that leads nowhere' };
  if (inside !== undefined && !isWithin(path, realPath(inside) ?? inside))
    return { kind: 'unusable', why: `it is a link out of the project, to ${path}` };
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return { kind: 'absent', path };
  if (!stats.isFile()) return { kind: 'unusable', why: 'it is not a file' };
  if (stats.size > maxBytes) return { kind: 'unusable', why: 'it is larger than 1 MiB' };
  try {
    const whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    const mark = whole.startsWith('\ufeff') ? '\ufeff' : '';
    return { kind: 'text', path, mark, text: whole.slice(mark.length), mode: stats.mode & 0o777 };
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

/** Appears whole or not at all, with the mode of the file it takes the place of. */
export const replaceFile = (path: string, text: string, mode?: number): void =>
  writeAtomically(path, text, { ...(mode === undefined ? { maskedMode: 0o644 } : { mode }), sync: 'bytes' });

/** Makes the folders of a file that are missing; returns them, outermost first. */
export function makeFolders(path: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) mkdirSync(folder);
  return missing;
}

/** Removes folders, given outermost first, as far as they are empty. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch (error) {
      // One that someone has removed already keeps nothing from going.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    }
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** Whether git would commit a file of the project. Contract: never rejects; false where there is no repository, or no git. */
export async function isCommittable(file: string, root: string, env: Env): Promise<boolean> {
  const answer = await git(root, ['check-ignore', '--quiet', '--', file], { env, timeoutMs: 5000 });
  return answer.kind === 'refused' && answer.code === notIgnored;
}

const notIgnored = 1;

/** The one path that installed entries call: what stands behind it may move or be upgraded. */
export const launcherPath = (state: string): string => join(state, 'bin', 'hookloop');

/** Writes the script that starts the program. */
export function writeLauncher(state: string, text: string): void {
  makePrivateFolder(dirname(launcherPath(state)));
  replaceFile(launcherPath(state), text, 0o755);
}

export const removeLauncher = (state: string): void => rmSync(launcherPath(state), { force: true });
