import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Holder, livingHolder, ownHolder } from './holder.ts';
import type { SessionLock } from './lock.ts';

const patienceMs = 1000;
const againMs = 20;

/** The socket decides; `holder.json` says who it is. The folder is a real path. */
export async function lockBySocket(folder: string): Promise<SessionLock> {
  const file = join(folder, 'holder.json');
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    const server = await bind(nameFor(folder));
    const holder = readHolder(file);
    if (server && (!holder || holder.pid === process.pid)) return hold(server, file);
    // Bound, yet a holder lives: it is just dying, or has another network namespace and so other sockets.
    await close(server);
    const isLate = performance.now() > untilMs;
    if (holder && (!server || isLate)) return { kind: 'busy', pid: holder.pid, since: holder.since };
    if (isLate) return { kind: 'busy' };
    await delay(againMs);
  }
}

/** As long as an abstract name can be: Node 20 pads shorter ones with NUL, and a version that does not would see another name. */
function nameFor(folder: string): string {
  const hash = createHash('sha256').update(folder).digest('hex');
  return `\0hookloop-session-${hash}`.padEnd(108, '-');
}

function bind(name: string): Promise<Server | undefined> {
  const server = createServer(connection => connection.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen({ path: name, exclusive: true }, () => resolve(server.unref()));
  });
}

function readHolder(file: string): Holder | undefined {
  try {
    return livingHolder(file);
  } catch {
    return undefined;
  }
}

function hold(server: Server, file: string): SessionLock {
  try {
    writeFileSync(file, `${JSON.stringify(ownHolder())}\n`, { mode: 0o600 });
  } catch {
    // A full disk costs others the pid in their message, not us the lock.
  }
  let released: Promise<void> | undefined;
  return {
    kind: 'held',
    release: () => {
      released ??= letGo(server, file);
      return released;
    },
  };
}

/** The file goes first: once the socket is free it may be the next holder's. */
function letGo(server: Server, file: string): Promise<void> {
  try {
    rmSync(file, { force: true });
  } catch {
    // Whoever comes next sees that its process has ended.
  }
  return close(server);
}

const close = (server: Server | undefined): Promise<void> =>
  new Promise(resolve => (server ? server.close(() => resolve()) : resolve()));
