import { fstatSync, readFileSync, readSync, writeSync } from 'node:fs';

/** The world as a command sees it. */
export interface Io {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Data. */
  out(text: string): void;
  /** What people read. */
  err(text: string): void;
  /** All of standard input; undefined when it is a terminal. */
  input(): string | undefined;
  /** Whether a stream is a terminal that shows colours, and its width; undefined where it is none. */
  terminal(stream: 'out' | 'err'): { color: boolean; columns: number | undefined };
}

/** What the world around us refuses: told without a stack trace. */
export class WorldError extends Error {}

export function createIo(): Io {
  return {
    cwd: currentFolder(),
    env: { ...process.env },
    out: text => writeAll(1, text),
    err: text => writeAll(2, text),
    input: readInput,
    terminal: stream => {
      // Asking loads Node's terminal and network code: only commands that print for people do.
      const { isTTY, columns } = stream === 'out' ? process.stdout : process.stderr;
      return {
        color: Boolean(isTTY) && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
        columns: isTTY ? columns || 80 : undefined,
      };
    },
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new WorldError('the current folder no longer exists; change to another one');
  }
}

/** Synchronous, so that nothing is lost at exit. A reader that has gone away is not our failure. */
function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || (code !== 'EAGAIN' && fd !== 1)) return;
      if (code !== 'EAGAIN') throw new WorldError(`the result could not be written: ${code}`);
      waitMs(5);
    }
  }
}

/** More than any event carries; beyond it somebody has piped the wrong thing. */
export const maxInputBytes = 64 * 1024 * 1024;

function readInput(): string | undefined {
  try {
    if (fstatSync(0).isCharacterDevice()) return undefined;
    return readFileSync(0, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') return readSlowly();
    if (code === 'EBADF' || code === 'EISDIR') return undefined;
    throw error;
  }
}

/** For a pipe that somebody else has set to answer at once or not at all. */
function readSlowly(): string {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= maxInputBytes; ) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    try {
      const read = readSync(0, chunk);
      if (read === 0) break;
      chunks.push(chunk.subarray(0, read));
      size += read;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      waitMs(5);
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
