import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isSameProcess, ownIdentity, type ProcessIdentity } from './orphans.ts';

/** Who holds a session, as written down for others. */
export interface Holder extends ProcessIdentity {
  since: string;
}

export const ownHolder = (): Holder => ({ ...ownIdentity(), since: new Date().toISOString() });

/**
 * The holder a file names, if that very process still lives. A link, a pipe or anything else in its place names no one and
 * is not followed. Contract: throws the system's error.
 */
export function livingHolder(path: string): Holder | undefined {
  const text = readOwnFile(path);
  const holder = text === undefined ? undefined : parseHolder(text);
  return holder && isSameProcess(holder) ? holder : undefined;
}

const maxHolderBytes = 4096;

function readOwnFile(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ELOOP', 'EMLINK', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= maxHolderBytes ? readFileSync(fd, 'utf8') : undefined;
  } finally {
    closeSync(fd);
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, startTime, since } = JSON.parse(text);
    return Number.isSafeInteger(pid) && typeof startTime === 'string'
      ? { pid, startTime, since: String(since) }
      : undefined;
  } catch {
    return undefined;
  }
}
