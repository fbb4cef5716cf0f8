import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { reasonOf } from './files.ts';
import { stateFolder } from './folders.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A system takes 108 bytes, or 104. */
const maxPathBytes = 100;

export type PrivateSocket = { kind: 'listening'; socket: string } | { kind: 'failed'; reason: string };

/**
 * Listens on a socket in a folder that only the user can enter. Not every file system takes sockets, and not every folder
 * is short, there or ours. Contract: a socket of that name that is left there is no one's.
 */
export async function listenPrivately(server: Server, name: string, env: Env): Promise<PrivateSocket> {
  const reasons: string[] = [];
  for (const folder of socketFolders(env)) {
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

/** Folders for sockets that no one but the user can reach into, best first. Made when they are tried. */
function socketFolders(env: Env): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const state = stateFolder(env);
  return [
    ...(runtime?.startsWith('/') ? [join(runtime, 'hookloop')] : []),
    ...(state === undefined ? [] : [join(state, 'run')]),
    `/tmp/hookloop-${process.getuid?.()}`,
  ];
}

/** Makes the folder, or says why it cannot hold a socket. Others may have made it before us, in /tmp above all. */
function makePrivate(folder: string, env: Env): string | undefined {
  try {
    mkdirSync(folder, { recursive: folder.startsWith(`${stateFolder(env)}/`), mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return reasonOf(error);
  }
  try {
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) return 'it is not a folder';
    if (stats.uid !== process.getuid?.()) return 'it belongs to another user';
    if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

async function listenAt(server: Server, socket: string): Promise<string | undefined> {
  try {
    if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket()) rmSync(socket);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket, () => {
        // A connection that could not be taken, for want of files, is the other side's to see.
        server.off('error', reject).on('error', () => {});
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
