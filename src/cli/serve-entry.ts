import { mkdirSync } from 'node:fs';
import type { ServeEntry } from '../app/install.ts';
import {
  httpEntry,
  httpPort,
  keepHttpEntry,
  knownToken,
  readAddress,
  tokenFile,
  tokenVariable,
} from '../serve/address.ts';

/** What the user's files say about serve. Without a home there are none, and nothing can stand below /dev/null. */
export const serveEntry = (state = '/dev/null'): ServeEntry => ({
  port: httpPort(state),
  token: knownToken(state),
  tokenFile: tokenFile(state),
  variable: tokenVariable,
  url: readAddress(state)?.url,
  keep: keepHttpEntry,
  prepare(port) {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const entry = httpEntry(state);
    // The entries name it, so it has to be the same after every start.
    if (entry.port !== port) keepHttpEntry(state, { ...entry, port });
  },
});
