import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { makePrivateFolder, readRegularFile, writeAtomically } from '../platform/files.ts';
import { stateFolder } from '../platform/folders.ts';
import type { Env } from './context.ts';

const maxProjects = 100;

/** Lets the dashboard find the sessions of a project. A file each, so that runs do not overwrite each other. Contract: never throws; a run goes on without. */
export function rememberProject(env: Env, root: string): void {
  const folder = projectsFolder(env);
  if (folder === undefined) return;
  try {
    makePrivateFolder(folder);
    writeAtomically(join(folder, projectId(root)), root);
    for (const { id } of filesIn(folder).slice(maxProjects)) rmSync(join(folder, id), { force: true });
  } catch {
    // The dashboard does without it.
  }
}

/** Folders that have had sessions, the one that was run in last first. */
export function knownProjects(env: Env): string[] {
  const folder = projectsFolder(env);
  if (folder === undefined) return [];
  return filesIn(folder)
    .slice(0, maxProjects)
    .flatMap(({ id }) => rootIn(join(folder, id), id) ?? [])
    .filter(root => statSync(root, { throwIfNoEntry: false })?.isDirectory());
}

/** How URLs call a project. */
export const projectId = (root: string): string => createHash('sha256').update(root).digest('hex').slice(0, 16);

const projectsFolder = (env: Env): string | undefined => {
  const state = stateFolder(env);
  return state && join(state, 'projects');
};

function filesIn(folder: string): { id: string; changedMs: number }[] {
  try {
    return readdirSync(folder)
      .filter(name => /^[0-9a-f]{16}$/.test(name))
      .map(id => ({ id, changedMs: lstatSync(join(folder, id)).mtimeMs }))
      .sort((a, b) => b.changedMs - a.changedMs);
  } catch {
    return [];
  }
}

function rootIn(file: string, id: string): string | undefined {
  const read = readRegularFile(file, 4096);
  const root = read.kind === 'bytes' ? read.bytes.toString() : '';
  return isAbsolute(root) && projectId(root) === id ? root : undefined;
}

/** A folder with sessions, as pages name it. */
export interface Project {
  id: string;
  root: string;
  name: string;
  /** With `~` for the user's home. */
  path: string;
}

export const toProject = (root: string, home: string | undefined): Project => ({
  id: projectId(root),
  root,
  name: basename(root) || root,
  path: home !== undefined && home !== '/' && root.startsWith(`${home}/`) ? `~${root.slice(home.length)}` : root,
});

export const sessionUrl = ({ id }: Project, session: string): string =>
  `/session/${id}/${session.split('/').map(encodeURIComponent).join('/')}`;

/** A command as it works in any folder. */
export const commandIn = ({ root, path }: Project, command: string): string => `${command} -C ${word(root, path)}`;

/** `~` counts only where nothing has to be quoted. */
const word = (root: string, path: string): string =>
  /^[\w./@%+=:,~-]+$/.test(path) ? path : `'${root.replaceAll("'", `'\\''`)}'`;
