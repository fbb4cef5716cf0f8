import { closeSync, writeSync } from 'node:fs';
import type { CaptureLimits } from './capture.ts';

/** `path` is absent when nothing could be saved. */
export interface Saved {
  path?: string;
  bytes: number;
  trouble?: string;
}

/** Output beyond what memory may hold: its head and tail stay, all of it goes to a file. */
export interface Overflow {
  take(chunk: Buffer): void;
  end(): { head: Buffer; tail: Buffer; saved: Saved };
}

export function createOverflow(
  open: () => { path: string; fd: number },
  { edgeBytes, spillBytes }: CaptureLimits,
): Overflow {
  const head = Buffer.allocUnsafe(edgeBytes);
  let headLength = 0;
  const ring = createRing(edgeBytes);
  const file = createSpillFile(open, spillBytes);
  return {
    take(chunk) {
      if (headLength < edgeBytes) headLength += chunk.copy(head, headLength);
      ring.take(chunk);
      file.write(chunk);
    },
    end: () => ({ head: head.subarray(0, headLength), tail: ring.content(), saved: file.end() }),
  };
}

/** The last `size` bytes of what it takes. */
function createRing(size: number): { take(chunk: Buffer): void; content(): Buffer } {
  const ring = Buffer.allocUnsafe(size);
  let next = 0;
  let filled = 0;
  return {
    take(chunk) {
      const last = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
      const fitting = last.copy(ring, next);
      if (fitting < last.length) last.copy(ring, 0, fitting);
      next = (next + last.length) % size;
      filled = Math.min(size, filled + last.length);
    },
    content: () =>
      filled < size ? ring.subarray(0, filled) : Buffer.concat([ring.subarray(next), ring.subarray(0, next)]),
  };
}

/** Written synchronously: a queue of chunks that wait for the disk would be the memory we want to save. */
function createSpillFile(open: () => { path: string; fd: number }, maxBytes: number) {
  let file: { path: string; fd: number } | undefined;
  let bytes = 0;
  let trouble: string | undefined;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      trouble ??= (error as Error).message;
    }
  };
  attempt(() => {
    file = open();
  });
  return {
    write(chunk: Buffer): void {
      if (file === undefined || trouble !== undefined) return;
      const { fd } = file;
      const end = Math.min(chunk.length, maxBytes - bytes);
      attempt(() => {
        for (let start = 0; start < end; ) {
          const written = writeSync(fd, chunk, start, end - start);
          start += written;
          bytes += written;
        }
        if (end < chunk.length) trouble = `the file may not be longer than ${maxBytes} bytes`;
      });
    },
    end(): Saved {
      if (file !== undefined) attempt(() => closeSync(file!.fd));
      const why = trouble === undefined ? {} : { trouble };
      return file === undefined || bytes === 0 ? { bytes: 0, ...why } : { path: file.path, bytes, ...why };
    },
  };
}
