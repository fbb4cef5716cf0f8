import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { AnswerControl } from '../../model/control.ts';
import { reasonOf } from '../../platform/files.ts';
import { addressFile, socketName, writeAddress } from './address.ts';
import { Connection, type ConnectionLimits } from './connection.ts';
import { makePrivate, socketFolders } from './socket-folder.ts';

export interface ControlOptions {
  sessionFolder: string;
  env: Readonly<Record<string, string | undefined>>;
  answer: AnswerControl;
  limits?: Partial<ConnectionLimits>;
}

export type ControlServer =
  | { kind: 'open'; socket: string; close(): Promise<void> }
  | { kind: 'failed'; reason: string };

const usualLimits: ConnectionLimits = { idleMs: 60_000, graceMs: 1000 };

/** A system takes 108 bytes, or 104. */
const maxPathBytes = 100;

const maxConnections = 256;

/**
 * Lets programs of the same user ask a session, over a socket in a folder that only the user can enter.
 * Contract: the caller holds the session's lock, so a socket that is left there is nobody's.
 */
export async function serveControl({ sessionFolder, env, answer, limits }: ControlOptions): Promise<ControlServer> {
  const connections = new Set<Connection>();
  const server = createServer(socket => {
    const connection = new Connection(socket, answer, { ...usualLimits, ...limits });
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  server.maxConnections = maxConnections;
  // A connection that could not be taken, for want of files, is the other side's to see.
  server.on('error', () => {});
  try {
    const listening = await listenSomewhere(server, socketFolders(env), socketName(sessionFolder), env);
    if (listening.kind === 'failed') return listening;
    const { socket } = listening;
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= closeAll(server, connections, [addressFile(sessionFolder), socket]);
      return closed;
    };
    try {
      writeAddress(sessionFolder, socket);
    } catch (error) {
      await close();
      throw error;
    }
    return { kind: 'open', socket, close };
  } catch (error) {
    return { kind: 'failed', reason: `${sessionFolder}: ${reasonOf(error)}` };
  }
}

type Listening = { kind: 'listening'; socket: string } | { kind: 'failed'; reason: string };

/** Not every file system takes sockets, and not every folder is short, there or ours. */
async function listenSomewhere(
  server: Server,
  folders: readonly string[],
  name: string,
  env: ControlOptions['env'],
): Promise<Listening> {
  const reasons: string[] = [];
  for (const folder of folders) {
    const socket = join(folder, name);
    const reason =
      Buffer.byteLength(socket) > maxPathBytes
        ? 'the path is too long for a socket'
        : (makePrivate(folder, env) ?? (await listenAt(server, socket)));
    if (reason === undefined) return { kind: 'listening', socket };
    reasons.push(`${folder}: ${reason}`);
  }
  return { kind: 'failed', reason: `no folder for a socket (${reasons.join('; ')})` };
}

async function listenAt(server: Server, socket: string): Promise<string | undefined> {
  try {
    if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket()) rmSync(socket);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket, () => {
        server.off('error', reject);
        resolve();
      });
    });
    // Until here the folder alone has kept others away.
    chmodSync(socket, 0o600);
    return undefined;
  } catch (error) {
    server.close();
    return reasonOf(error);
  }
}

/** The address goes first: whoever reads it finds somebody who listens. */
function closeAll(server: Server, connections: Iterable<Connection>, files: readonly string[]): Promise<void> {
  for (const file of files) {
    try {
      rmSync(file, { force: true });
    } catch {
      // Whoever reads it sees that the process has ended, or that nobody listens.
    }
  }
  return new Promise(resolve => {
    server.close(() => resolve());
    for (const connection of connections) connection.close('the session has ended');
  });
}
