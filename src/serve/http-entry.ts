import { join } from 'node:path';
import { readRegularFile, writeAtomically } from '../session/files.ts';
import { newToken } from './tokens.ts';

/** What stands in hook files of agents that POST to serve: it has to be the same after every start. */
export interface HttpEntry {
  port: number;
  token: string;
}

const defaultPort = 8764;

/** Made when first needed, readable by the user alone. Contract: throws what the file system says; the folder is there. */
export function httpEntry(state: string): HttpEntry {
  const known = read(state);
  if (known) return known;
  const made = { port: defaultPort, token: newToken() };
  keepHttpEntry(state, made);
  return made;
}

export const keepHttpEntry = (state: string, entry: HttpEntry): void =>
  writeAtomically(fileOf(state), `${JSON.stringify(entry)}\n`);

const fileOf = (state: string): string => join(state, 'serve-http.json');

function read(state: string): HttpEntry | undefined {
  const found = readRegularFile(fileOf(state), 4096);
  try {
    const { port, token } = JSON.parse(found.kind === 'bytes' ? found.bytes.toString() : '');
    return Number.isInteger(port) && /^[0-9a-f]{64}$/.test(token) ? { port, token } : undefined;
  } catch {
    return undefined;
  }
}
