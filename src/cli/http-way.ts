import type { HttpWay } from '../doctor/http-way.ts';
import { readAddress } from '../serve/address.ts';
import { httpPort, keepHttpEntry, knownToken, tokenFile, tokenVariable } from '../serve/http-entry.ts';

/** What the user's files say about serve. */
export const httpWay = (state = '/nonexistent'): HttpWay => ({
  port: httpPort(state),
  token: knownToken(state),
  tokenFile: tokenFile(state),
  variable: tokenVariable,
  url: readAddress(state)?.url,
  keep: keepHttpEntry,
});
