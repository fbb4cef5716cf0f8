import type { IncomingMessage } from 'node:http';
import { isToken } from '../tokens.ts';

export interface Refusal {
  status: number;
  message: string;
}

/**
 * Refuses other users and web pages. A page shows in Origin and Sec-Fetch-Site, which no agent sends. Over the unix
 * socket there is no port, and its folder keeps others away.
 */
export function guardRequest(request: IncomingMessage, tokens: readonly string[]): Refusal | undefined {
  const isSocket = request.socket.localPort === undefined;
  const foreign = guardHost(request);
  if (foreign) return foreign;
  if (request.headers.origin !== undefined || Object.keys(request.headers).some(name => name.startsWith('sec-fetch-')))
    return { status: 403, message: 'web pages are not answered' };
  if (request.method !== 'POST') return { status: 405, message: 'POST a payload' };
  const [, token = ''] = /^Bearer ([0-9a-f]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (!isSocket && !tokens.some(each => isToken(token, each)))
    return { status: 401, message: 'a bearer token is needed; serve.json in the state folder has it' };
  return undefined;
}

/** A name that leads to 127.0.0.1 shows in Host. */
export function guardHost(request: IncomingMessage): Refusal | undefined {
  const { localPort: port } = request.socket;
  const hosts = valuesOf(request, 'host');
  if (hosts.length !== 1 || !hosts[0]) return { status: 400, message: 'the request names no host, or several' };
  return port === undefined || [`127.0.0.1:${port}`, `localhost:${port}`].includes(hosts[0].toLowerCase())
    ? undefined
    : { status: 421, message: 'this server does not answer for that host' };
}

/** Node keeps only the first of several. */
const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
