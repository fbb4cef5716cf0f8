import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import type { OpenFile } from '../output-files.ts';

/** `path` is absent when nothing could be saved. `first` and `last` are how many bytes of the beginning and of the end it has. */
export interface Saved {
  path?: string;
  first: number;
  last: number;
  trouble?: string;
}

/** A file with the beginning and the end of a stream, each up to `edgeBytes`, however long it gets. */
export interface SpillFile {
  write(chunk: Buffer): void;
  /** Contract: never throws; what went wrong is told. */
  end(): Saved;
}

/** Written synchronously: a queue of chunks that wait for the disk would be the memory we want to save. */
export function createSpillFile(open: () => OpenFile, edgeBytes: number): SpillFile {
  let file: OpenFile | undefined;
  let first = 0;
  let tail: TailFile | undefined;
  let trouble: string | undefined;
  const attempt = (work: () => void): void => {
    try {
      if (trouble === undefined) work();
    } catch (error) {
      trouble = (error as Error).message;
    }
  };
  attempt(() => {
    file = open();
  });
  return {
    write(chunk) {
      attempt(() => {
        const { path, fd } = file!;
        const beginning = chunk.subarray(0, edgeBytes - first);
        writeWhole(beginning, part => {
          const written = writeSync(fd, part);
          first += written;
          return written;
        });
        if (beginning.length === chunk.length) return;
        tail ??= createTailFile(path, edgeBytes);
        tail.write(chunk.subarray(beginning.length));
      });
    },
    end() {
      let last = 0;
      attempt(() => {
        last = tail?.appendTo(file!.fd) ?? 0;
      });
      for (const fd of [tail?.fd, file?.fd]) if (fd !== undefined) close(fd);
      const why = trouble === undefined ? {} : { trouble };
      return file === undefined || first === 0
        ? { first: 0, last: 0, ...why }
        : { path: file.path, first, last, ...why };
    },
  };
}

interface TailFile {
  fd: number;
  write(chunk: Buffer): void;
  /** Behind what was left out, a line that says so. Returns how many bytes of the stream it has appended. */
  appendTo(fd: number): number;
}

/** The last `size` bytes of what it gets, in a file that is written round and round. It has no name, so a crash leaves nothing of it. */
function createTailFile(beside: string, size: number): TailFile {
  const path = `${beside}.tail`;
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  let total = 0;
  return {
    fd,
    write(chunk) {
      writeWhole(chunk, part => {
        const at = total % size;
        const written = writeSync(fd, part, 0, Math.min(part.length, size - at), at);
        total += written;
        return written;
      });
    },
    appendTo(target) {
      const kept = Math.min(total, size);
      if (total > size)
        writeWhole(Buffer.from(`\n[${total - size} bytes left out]\n`), part => writeSync(target, part));
      const buffer = Buffer.allocUnsafe(Math.min(kept, copyBytes));
      for (let copied = 0; copied < kept; ) {
        const at = (total - kept + copied) % size;
        const read = readSync(fd, buffer, 0, Math.min(buffer.length, kept - copied, size - at), at);
        if (read === 0) throw new Error('its end could not be read again');
        writeWhole(buffer.subarray(0, read), part => writeSync(target, part));
        copied += read;
      }
      return kept;
    },
  };
}

const copyBytes = 256 * 1024;

function writeWhole(bytes: Buffer, write: (part: Buffer) => number): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(write(rest));
}

function close(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // It is closed.
  }
}
