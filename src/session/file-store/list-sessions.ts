import { closeSync, constants, type Dirent, lstatSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readRegularFile, reasonOf } from '../../platform/files.ts';
import {
  checkSessionName,
  childNamed,
  type SessionFiles,
  sessionFiles,
  sessionsFolder,
  sessionWithoutName,
} from '../paths.ts';
import type { StoredSession } from '../store.ts';
import { makeFolders } from './folder.ts';

export const journalOf = ({ folder }: SessionFiles): string => join(folder, 'journal.jsonl');

/** undefined where no session can have this name. */
export function filesNamed(root: string, name: string): SessionFiles | undefined {
  const [first = '', ...rest] = name.split('/');
  if (checkSessionName(first).kind === 'bad') return undefined;
  let found: SessionFiles | undefined = sessionFiles(root, first);
  for (const part of rest) found = found && childNamed(found, part);
  return found;
}

/** Every session of the project, the one that changed last first. */
export function sessionsIn(root: string): StoredSession[] {
  const own = namesIn(sessionsFolder(root))
    .filter(name => checkSessionName(name).kind === 'good')
    .map(name => sessionFiles(root, name))
    .filter(isFolder);
  return own
    .flatMap(files => (isOnlyFolder(files) ? childrenOf(files.name, files) : [toStored(files.name, files)]))
    .sort((a, b) => (b.changedMs ?? 0) - (a.changedMs ?? 0) || (a.name < b.name ? -1 : 1));
}

/** Only the names of sessions, by one look at their folder; what children share a folder under is no session. */
export const sessionNamesIn = (root: string): string[] =>
  entriesIn(sessionsFolder(root))
    .filter(entry => entry.isDirectory() && entry.name !== sessionWithoutName)
    .map(({ name }) => name)
    .filter(name => checkSessionName(name).kind === 'good')
    .sort();

export function toStored(name: string, files: SessionFiles): StoredSession {
  const stats = lstatSync(journalOf(files), { throwIfNoEntry: false });
  const isFile = stats?.isFile() === true;
  return {
    name,
    files,
    changedMs: isFile ? stats.mtimeMs : null,
    bytes: stats?.size ?? 0,
    version: stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '',
  };
}

/** The folder that what events outside sessions start has in common; it is no session itself. */
export const isOnlyFolder = (files: SessionFiles): boolean =>
  files.name === sessionWithoutName && !lstatSync(journalOf(files), { throwIfNoEntry: false })?.size;

const isFolder = ({ folder }: SessionFiles): boolean =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;

/** Links and foreign files are left aside. */
export function childrenOf(name: string, files: SessionFiles): StoredSession[] {
  return namesIn(files.children)
    .flatMap(child => childNamed(files, child) ?? [])
    .filter(isFolder)
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    .map(child => toStored(`${name}/${child.name}`, child));
}

const namesIn = (folder: string): string[] => entriesIn(folder).map(({ name }) => name);

/** A folder that is a link, or leads nowhere, holds no sessions of this project. */
function entriesIn(folder: string): Dirent[] {
  try {
    const areReal = [join(folder, '..'), folder].every(path => lstatSync(path).isDirectory());
    return areReal ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}

/** A root does not see those inside it, so a session tells the roots around its own. Returns why one could not be told. */
export function tellOuter(root: string, outer: readonly string[]): string | undefined {
  const troubles = outer.flatMap(around => {
    try {
      return tell(around, root) ?? [];
    } catch (error) {
      return reasonOf(error);
    }
  });
  return troubles[0];
}

function tell(around: string, root: string): string | undefined {
  if (nestedIn(around).includes(root)) return undefined;
  const link = makeFolders(around, ['.hookloop', 'sessions']);
  if (link !== undefined) return link;
  const fd = openSync(nestedFile(around), appendOnly, 0o600);
  try {
    // Relative, so that a project may be moved.
    writeSync(fd, `${relative(around, root)}\n`);
  } finally {
    closeSync(fd);
  }
  return undefined;
}

/** The folder may have come with a project. */
const appendOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Beside the sessions, where git does not look, under a name that no session can have. */
const nestedFile = (root: string): string => join(sessionsFolder(root), '.nested-roots');

const maxBytes = 1024 * 1024;

/** The roots inside a root that have told it. */
export function nestedIn(root: string): string[] {
  const found = readRegularFile(nestedFile(root), maxBytes);
  return found.kind === 'bytes'
    ? found.bytes
        .toString()
        .split('\n')
        .filter(line => line !== '')
        .map(line => resolve(root, line))
    : [];
}
