import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpWay } from '../hosts/doctor/http-way.ts';
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

/** That of a living process, and only from a file that no one but the user can have written. */
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

/** What agents that POST to serve know of it: it has to be the same after every start. */
export interface HttpEntry {
  port: number;
  token: string;
}

/** Hook files name the variable, never the token. */
export const tokenVariable = 'HOOKLOOP_HTTP_TOKEN';

const defaultPort = 8764;

/** Made when first needed, readable by the user alone. Contract: throws what the file system says; the folder is there. */
export function httpEntry(state: string): HttpEntry {
  const known = read(state);
  const entry = known ?? { port: defaultPort, token: newToken() };
  if (!known) keepHttpEntry(state, entry);
  // For shells, which read no JSON.
  else if (textOf(tokenFile(state)) !== `${entry.token}\n`) writeAtomically(tokenFile(state), `${entry.token}\n`);
  return entry;
}

/** The port that hook files name, whether or not serve has ever run. */
export const httpPort = (state: string): number => read(state)?.port ?? defaultPort;

/** What the user's files say about serve. Without a home there are none, and nothing can stand below /dev/null. */
export const httpWay = (state = '/dev/null'): HttpWay => ({
  port: httpPort(state),
  token: read(state)?.token,
  tokenFile: tokenFile(state),
  variable: tokenVariable,
  url: readAddress(state)?.url,
  keep: keepHttpEntry,
});

/** Makes the token, and keeps the port that entries name: it has to be the same after every start. Contract: throws what the file system says. */
export function keepPort(state: string, port: number): void {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const entry = httpEntry(state);
  if (entry.port !== port) keepHttpEntry(state, { ...entry, port });
}

export function keepHttpEntry(state: string, entry: HttpEntry): void {
  writeAtomically(fileOf(state), `${JSON.stringify(entry)}\n`);
  writeAtomically(tokenFile(state), `${entry.token}\n`);
}

/** Holds the token alone. */
export const tokenFile = (state: string): string => join(state, 'http-token');

const fileOf = (state: string): string => join(state, 'serve-http.json');

function read(state: string): HttpEntry | undefined {
  try {
    const { port, token } = JSON.parse(textOf(fileOf(state)));
    return Number.isInteger(port) && /^[0-9a-f]{64}$/.test(token) ? { port, token } : undefined;
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  const found = readRegularFile(file, 4096);
  return found.kind === 'bytes' ? found.bytes.toString() : '';
}

export const newToken = (): string => randomBytes(32).toString('hex');

/** For the thin client, which reads byte by byte: no one guesses 96 bits while a serve lives. */
export const newMark = (): string => randomBytes(12).toString('base64url');
