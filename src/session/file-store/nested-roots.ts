import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readRegularFile, reasonOf } from '../../platform/files.ts';
import { sessionsFolder } from '../paths.ts';
import { makeFolders } from './folder.ts';

/** A root does not see those inside of it, so a session tells the roots around its own. Returns why one could not be told. */
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

/** The roots inside of a root that have told it. */
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
