import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Kept } from './claim-store.ts';
import { removeIfThere } from './files.ts';

/** Where processes that remember claims can be asked for them. */
const placeIn = (folder: string): string => join(folder, 'told');

/** Of this process; they go with it. */
const opened = new Set<string>();

/**
 * Tells other processes of claims that are not in their files yet. It listens when this returns. Contract: never throws;
 * where it cannot listen others see a claim as soon as it is written down.
 */
export function tellClaims(folder: string, claimNamed: (name: string) => Kept | undefined): void {
  const path = join(placeIn(folder), `${process.pid}-${opened.size}`);
  if (Buffer.byteLength(path) > maxPathBytes) return;
  try {
    mkdirSync(placeIn(folder), { recursive: true, mode: 0o700 });
    removeIfThere(path);
    const server = net().createServer(socket => {
      socket.on('error', () => socket.destroy());
      socket.setTimeout(patienceMs, () => socket.destroy());
      socket.setEncoding('latin1').once('data', (name: string) => {
        socket.end(JSON.stringify(claimNamed(name.trim()) ?? null));
      });
    });
    server.on('error', () => {});
    server.listen(path).unref();
    if (opened.size === 0) process.once('exit', () => [...opened].forEach(removeIfThere));
    opened.add(path);
  } catch {
    // Said in the contract.
  }
}

/** The claim of that name that another process remembers. Contract: never rejects; who does not answer has none. */
export async function toldClaim(folder: string, name: string): Promise<Kept | undefined> {
  const place = placeIn(folder);
  const sockets = existsSync(place) ? namesIn(place) : [];
  const told = await Promise.all(sockets.map(socket => ask(join(place, socket), name)));
  return told.find(claim => claim !== undefined);
}

/** Loaded when needed: most processes have nobody to ask. */
const net = (): typeof import('node:net') => process.getBuiltinModule('node:net');

/** A system takes 108 bytes, or 104. */
const maxPathBytes = 100;
/** A process that hangs must not hold up hooks for long. */
const patienceMs = 250;

function namesIn(place: string): string[] {
  try {
    return readdirSync(place);
  } catch {
    return [];
  }
}

function ask(path: string, name: string): Promise<Kept | undefined> {
  return new Promise(resolve => {
    let text = '';
    const socket = net().connect(path, () => socket.write(`${name}\n`));
    const late = setTimeout(() => socket.destroy(), patienceMs);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Whoever was there has ended without a word.
      if (error.code === 'ECONNREFUSED') removeIfThere(path);
    });
    socket.on('close', () => {
      clearTimeout(late);
      resolve(claimIn(text));
    });
  });
}

function claimIn(text: string): Kept | undefined {
  try {
    return (JSON.parse(text) as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}
