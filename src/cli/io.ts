import { existsSync, fstatSync, readSync, type Stats, write, writeSync } from 'node:fs';
import { maxPayloadBytes } from '../model/json.ts';
import { withNodeOptions } from '../platform/node-options.ts';

/** What a command reads and writes, and where it was started. */
export interface Io {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Data. Returns `unread` where no one reads it any more. */
  out(text: string): unknown;
  /** What people read. */
  err(text: string): void;
  /** All of standard input; undefined when it is a terminal. */
  input(): string | undefined;
  /** Whether a stream is a terminal that shows colours, and its width; undefined where it is none. */
  terminal(stream: 'out' | 'err'): { color: boolean; columns: number | undefined };
}

/** What the system refuses: told without a stack trace. */
export class SystemError extends Error {
  override readonly name = 'SystemError';
}

/** Bad input data, told to whoever sent it. */
export class InputError extends Error {}

/** By name: each bundle has a class of its own. */
export const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && error.name === 'SystemError';

/** The real one. `isWritten` says whether everything has been handed to its readers. */
export function createIo(): Io & { isWritten(): boolean } {
  const errors = createErrorWriter();
  return {
    cwd: currentFolder(),
    env: withNodeOptions(process.env),
    out: text => writeAll(1, text),
    err: errors.write,
    isWritten: errors.isWritten,
    input: readInput,
    terminal: stream => {
      // Asking loads Node's terminal and network code: not for a pipe or a file.
      if (!isDevice(stream === 'out' ? 1 : 2)) return { color: false, columns: undefined };
      const { isTTY, columns } = stream === 'out' ? process.stdout : process.stderr;
      return {
        color: Boolean(isTTY) && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb',
        columns: isTTY ? columns || 80 : undefined,
      };
    },
  };
}

function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

function currentFolder(): string {
  let folder: string | undefined;
  try {
    folder = process.cwd();
  } catch {
    // Told below.
  }
  if (folder === undefined || (folder.includes('\ufffd') && !existsSync(folder)))
    throw new SystemError(
      `the current folder ${folder === undefined ? 'no longer exists' : 'has a name that is not UTF-8'}; change to another one`,
    );
  return folder;
}

/** Synchronous, so that nothing is lost at exit. A reader that has gone away is not our failure. */
function writeAll(fd: number, text: string): 'written' | 'unread' {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || (code !== 'EAGAIN' && fd !== 1)) return 'unread';
      if (code !== 'EAGAIN') throw new SystemError(`the result could not be written: ${code}`);
      waitMs(retryMs);
    }
  }
  return 'written';
}

/** A pipe holds this much even if no one reads it. */
const unreadPipeBytes = 32 * 1024;

/** Writes at once; beyond what an unread pipe holds, without waiting for its reader. */
function createErrorWriter(): { write(text: string): void; isWritten(): boolean } {
  const aside = createPatientWriter(2);
  let written = 0;
  return {
    write(text) {
      written += Buffer.byteLength(text);
      if (written <= unreadPipeBytes && aside.isIdle()) writeAll(2, text);
      else aside.write(text);
    },
    isWritten: aside.isIdle,
  };
}

/**
 * Writes to a stream without ever waiting for its reader: otherwise a full pipe would hold up timeouts and signals.
 * What was written is kept in order. A reader that has gone away is not our failure; `onFailure` hears of everything
 * else, once, and nothing is written from then on.
 */
export function createPatientWriter(
  fd: number,
  onFailure: (reason: string) => void = () => {},
): { write(text: string): void; isIdle(): boolean } {
  let pending: string[] = [];
  let pendingLength = 0;
  let state: 'idle' | 'busy' | 'broken' = 'idle';
  const fail = (reason: string | undefined): void => {
    [state, pending, pendingLength] = ['broken', [], 0];
    if (reason !== undefined) onFailure(reason);
  };
  const send = (bytes: Buffer): void => {
    write(fd, bytes, (error, written) => {
      if (state === 'broken') return;
      if (error && error.code !== 'EAGAIN') {
        fail(error.code === 'EPIPE' ? undefined : (error.code ?? error.message));
        return;
      }
      // A pipe that another program has made non-blocking takes only a part, or answers "not yet".
      const rest = bytes.subarray(error ? 0 : written);
      if (error) setTimeout(() => send(rest), retryMs);
      else if (rest.length > 0) send(rest);
      else sendPending();
    });
  };
  const sendPending = (): void => {
    state = pending.length > 0 ? 'busy' : 'idle';
    if (state === 'idle') return;
    const bytes = Buffer.from(pending.join(''));
    [pending, pendingLength] = [[], 0];
    send(bytes);
  };
  return {
    write(text) {
      if (state === 'broken') return;
      if (pendingLength + text.length > maxPayloadBytes) {
        fail('no one reads it');
        return;
      }
      pending.push(text);
      pendingLength += text.length;
      if (state === 'idle') sendPending();
    },
    isIdle: () => state !== 'busy',
  };
}

const retryMs = 5;

function readInput(): string | undefined {
  const stats = inputStats();
  if (stats === undefined || stats.isCharacterDevice()) return undefined;
  if (stats.isDirectory()) throw new InputError('standard input is a folder; give it a file or a pipe with JSON');
  const chunks: Buffer[] = [];
  for (let size = 0; size <= maxPayloadBytes; ) {
    // A payload is mostly short; what is longer comes in larger pieces.
    const chunk = readChunk(size === 0 ? 4096 : 64 * 1024);
    if (chunk.length === 0) break;
    chunks.push(chunk);
    size += chunk.length;
  }
  return (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
}

/** Undefined where it is closed. */
function inputStats(): Stats | undefined {
  try {
    return fstatSync(0);
  } catch {
    return undefined;
  }
}

/** A pipe that another program has made non-blocking may answer "not yet"; what it gave before that counts. */
function readChunk(size: number): Buffer {
  const chunk = Buffer.allocUnsafe(size);
  for (;;) {
    try {
      return chunk.subarray(0, readSync(0, chunk));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF' || code === 'EBADF') return chunk.subarray(0, 0);
      if (code !== 'EAGAIN') throw error;
      waitMs(retryMs);
    }
  }
}

function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
