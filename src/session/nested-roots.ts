import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../journal/disk.ts';
import { readRegularFile } from './files.ts';
import { makeFolders } from './folder.ts';
import { sessionsFolder } from './paths.ts';

/** Every root whose sessions may work on the same checklist: the own one, those around it, and those known inside of these. */
export const rootsAround = (root: string, outer: readonly string[]): [string, ...string[]] => [
  root,
  ...new Set([...outer, ...[root, ...outer].flatMap(nestedIn)].filter(other => other !== root)),
];

/** A root does not see those inside of it, so a session tells the roots around its own. Returns why one could not be told. */
export function tellOuter(root: string, outer: readonly string[]): string | undefined {
  try {
    for (const around of outer) {
      if (nestedIn(around).includes(root)) continue;
      const link = makeFolders(around, ['.hookloop', 'sessions']);
      if (link) return link.reason;
      const fd = openSync(nestedFile(around), appendOnly, 0o600);
      try {
        writeSync(fd, `${root}\n`);
      } finally {
        closeSync(fd);
      }
    }
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The folder may have come with a project. */
const appendOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Beside the sessions, where git does not look. */
const nestedFile = (root: string): string => join(sessionsFolder(root), 'nested-roots');

const maxBytes = 1024 * 1024;

function nestedIn(root: string): string[] {
  const found = readRegularFile(nestedFile(root), maxBytes);
  return found.kind === 'bytes'
    ? found.bytes
        .toString()
        .split('\n')
        .filter(line => line.startsWith('/'))
    : [];
}
