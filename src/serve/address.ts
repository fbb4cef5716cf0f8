import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile, writeAtomically } from '../platform/files.ts';
import { isSameProcess, type ProcessIdentity } from '../platform/processes.ts';

/** Where serve is reached. Whoever can read it may run hooks as the user, so only the user can. */
export interface ServeAddress extends ProcessIdentity {
  url: string;
  socket: string;
  version: string;
  build: string;
  /** For HTTP, made anew at every start. */
  token: string;
  /** For the thin client, which is a shell script: port, what it shows, and what it wants to be shown. */
  thin: string;
}

export const addressFile = (state: string): string => join(state, 'serve.json');

/** One line, so that a shell reads it whole. */
export const writeAddress = (state: string, address: ServeAddress): void =>
  writeAtomically(addressFile(state), `${JSON.stringify(address)}\n`);

/** That of a living process, and only from a file that nobody but the user can have written. */
export function readAddress(state: string): ServeAddress | undefined {
  const file = addressFile(state);
  try {
    const stats = lstatSync(file);
    if (!stats.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0) return undefined;
    const found = readRegularFile(file, maxBytes);
    if (found.kind !== 'bytes') return undefined;
    const address = JSON.parse(found.bytes.toString()) as ServeAddress;
    return texts.every(name => typeof address[name] === 'string') && isSameProcess(address) ? address : undefined;
  } catch {
    return undefined;
  }
}

/** Only our own: a successor may have written its address already. */
export function removeAddress(state: string, { token }: ServeAddress): void {
  try {
    if (readAddress(state)?.token === token) rmSync(addressFile(state), { force: true });
  } catch {
    // Whoever reads it sees that its process has ended.
  }
}

const maxBytes = 64 * 1024;
const texts = ['url', 'socket', 'version', 'build', 'token', 'thin', 'startTime'] as const;
