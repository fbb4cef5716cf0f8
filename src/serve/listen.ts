import { chmodSync, lstatSync, rmSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { makePrivate, socketFolders } from '../session/control/socket-folder.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type Listening<At> = { kind: 'listening'; at: At } | { kind: 'failed'; reason: string };

/** The literal address: with a name, another user could stand at its other address. */
export async function listenOnLoopback(server: Server, ports: readonly number[]): Promise<Listening<number>> {
  let reason = '';
  for (const port of ports) {
    const failure = await listen(server, { host: '127.0.0.1', port, exclusive: true });
    if (failure === undefined) return { kind: 'listening', at: (server.address() as AddressInfo).port };
    reason ||= `port ${port}: ${failure}`;
  }
  return { kind: 'failed', reason };
}

/** A system takes 108 bytes, or 104. */
const maxPathBytes = 100;

/** In a folder that only the user can enter. Contract: the caller is the only serve of the user, so a socket left there is nobody's. */
export async function listenOnSocket(server: Server, env: Env): Promise<Listening<string>> {
  const reasons: string[] = [];
  for (const folder of socketFolders(env)) {
    const path = join(folder, 'serve.sock');
    const reason =
      Buffer.byteLength(path) > maxPathBytes
        ? 'the path is too long for a socket'
        : (makePrivate(folder, env) ?? (await listenAt(server, path)));
    if (reason === undefined) return { kind: 'listening', at: path };
    reasons.push(`${folder}: ${reason}`);
  }
  return { kind: 'failed', reason: `no folder for a socket (${reasons.join('; ')})` };
}

async function listenAt(server: Server, path: string): Promise<string | undefined> {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
    const failure = await listen(server, { path });
    // Until here the folder alone has kept others away.
    if (failure === undefined) chmodSync(path, 0o600);
    return failure;
  } catch (error) {
    server.close();
    return (error as Error).message;
  }
}

function listen(server: Server, at: Parameters<Server['listen']>[0] & object): Promise<string | undefined> {
  return new Promise(resolve => {
    const onError = (error: NodeJS.ErrnoException): void =>
      resolve(error.code === 'EADDRINUSE' ? 'another program has it' : error.message);
    server.once('error', onError);
    server.listen(at, () => {
      // A connection that could not be taken, for want of files, is the other side's to see.
      server.off('error', onError).on('error', () => {});
      resolve(undefined);
    });
  });
}
