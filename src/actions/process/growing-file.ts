import { closeSync, fstatSync, ftruncateSync, readSync } from 'node:fs';
import type { OpenFile, Spill } from '../spill.ts';
import { type Captured, type CaptureLimits, cutText } from './capture.ts';

/** A file that another program appends to. */
export interface GrowingFile {
  /** What has come since the last look, or a good part of it. */
  news(): Buffer;
  /** Drops what is beyond the limit: the program goes on, and the disk does not fill up. */
  trim(): void;
  /** What it holds: all of a small file, which is gone then; head and tail of a large one, which stays. */
  end(): Captured;
}

export function createGrowingFile(
  file: OpenFile,
  { discard }: Pick<Spill, 'discard'>,
  { fullBytes, edgeBytes, spillBytes }: CaptureLimits,
): GrowingFile {
  const { path, fd } = file;
  let seen = 0;
  let dropped = 0;
  let lastDropped: Buffer = Buffer.alloc(0);
  const trim = (): void => {
    const beyond = fstatSync(fd).size - spillBytes;
    if (beyond <= 0) return;
    const last = readAt(fd, spillBytes + Math.max(0, beyond - edgeBytes), edgeBytes);
    lastDropped = Buffer.concat([lastDropped, last]).subarray(-edgeBytes);
    dropped += beyond;
    ftruncateSync(fd, spillBytes);
    seen = Math.min(seen, spillBytes);
  };
  return {
    news() {
      const { size } = fstatSync(fd);
      // `> /dev/stderr` empties the file; what comes after that is new.
      if (size < seen) seen = 0;
      const chunk = readAt(fd, seen, Math.min(size - seen, fullBytes));
      seen += chunk.length;
      return chunk;
    },
    trim,
    end() {
      if (dropped > 0) trim();
      const { size } = fstatSync(fd);
      if (dropped === 0 && size <= fullBytes) {
        const text = readAt(fd, 0, size).toString('utf8');
        discard(file);
        return { text, bytes: size };
      }
      const head = readAt(fd, 0, edgeBytes);
      const tail = dropped === 0 ? readAt(fd, size - edgeBytes, edgeBytes) : lastDropped;
      closeSync(fd);
      const why = dropped === 0 ? {} : { trouble: `the file may not be longer than ${spillBytes} bytes` };
      return cutText({ head, tail, saved: { path, bytes: size, ...why } }, size + dropped);
    },
  };
}

function readAt(fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(fd, buffer, filled, buffer.length - filled, from + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}
