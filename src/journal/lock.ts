import { realpathSync } from 'node:fs';
import { lockByFile } from './lock-file.ts';
import { lockBySocket } from './lock-socket.ts';

export type SessionLock =
  | { kind: 'held'; release(): Promise<void> }
  /** Without a pid where the holder could not write down who it is. */
  | { kind: 'busy'; pid?: number; since?: string };

/**
 * One holder per session folder among the processes of this machine. On Linux the kernel frees an abstract socket the
 * moment its holder ends, and no child inherits it; elsewhere a file names its holder, and a dead one is succeeded.
 */
export function lockSession(folder: string): Promise<SessionLock> {
  const real = realpathSync(folder);
  return process.platform === 'linux' ? lockBySocket(real) : lockByFile(real);
}
