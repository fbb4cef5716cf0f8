import { join } from 'node:path';
import { readRegularFile, writeAtomically } from '../platform/files.ts';
import { newToken } from './tokens.ts';

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

/** Undefined where none was ever needed. */
export const knownToken = (state: string): string | undefined => read(state)?.token;

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
