import type { HttpWay } from '../hosts/doctor/http-way.ts';
import { httpPort, keepHttpEntry, knownToken, readAddress, tokenFile, tokenVariable } from '../serve/address.ts';

/** What the user's files say about serve. Without a home there are none, and nothing can stand below /dev/null. */
export const httpWay = (state = '/dev/null'): HttpWay => ({
  port: httpPort(state),
  token: knownToken(state),
  tokenFile: tokenFile(state),
  variable: tokenVariable,
  url: readAddress(state)?.url,
  keep: keepHttpEntry,
});
