import { createHash } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fieldsOf, jsonOf } from '../../model/json.ts';
import { readRegularFile, writeJson } from '../../platform/files.ts';
import { isSameProcess, ownIdentity, type ProcessIdentity } from '../../platform/processes.ts';

/** Where a session is asked, and by which process. */
export interface ControlAddress extends ProcessIdentity {
  socket: string;
}

export const addressFile = (sessionFolder: string): string => join(sessionFolder, 'control.json');

/** Short whatever the session's path is: the path of a socket has room for some hundred bytes. */
export const socketName = (sessionFolder: string): string =>
  `${createHash('sha256').update(realpathSync(sessionFolder)).digest('hex').slice(0, 24)}.sock`;

/** Throws what the file system says. */
export const writeAddress = (sessionFolder: string, socket: string): void =>
  writeJson(addressFile(sessionFolder), { socket, ...ownIdentity() });

/**
 * Only that of a living process and of this very folder: one that came with a copied or cloned folder is no address, and
 * no one is led to a socket of another user.
 */
export function readAddress(sessionFolder: string): ControlAddress | undefined {
  const found = readRegularFile(addressFile(sessionFolder), maxBytes);
  const address = found.kind === 'bytes' ? parse(found.bytes.toString()) : undefined;
  try {
    return address &&
      basename(address.socket) === socketName(sessionFolder) &&
      isOwnSocket(address.socket) &&
      isSameProcess(address)
      ? address
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process serves the session right now. */
export const isServed = (sessionFolder: string): boolean => readAddress(sessionFolder) !== undefined;

const maxBytes = 64 * 1024;

function parse(text: string): ControlAddress | undefined {
  const { socket, pid, startTime } = fieldsOf(jsonOf(text));
  return typeof socket === 'string' && typeof pid === 'number' && typeof startTime === 'string'
    ? { socket, pid, startTime }
    : undefined;
}

function isOwnSocket(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSocket() === true && stats.uid === process.getuid?.();
}
