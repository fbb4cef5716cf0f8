import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import type { OpenFile } from '../output-files.ts';

/** Which bytes of a stream are kept: so many from its start, and where its last ones stand, in their order. */
interface Kept {
  first: number;
  last: readonly (readonly [from: number, to: number])[];
  leftOut: number;
}

/**
 * Keeps the beginning and the end of a stream, each up to `size` bytes: the end goes round and round. `put` writes to one of
 * the two and says how much it has written.
 */
export function createEdges(
  size: number,
  put: (part: Buffer, at: number, isFirst: boolean) => number,
): { take(chunk: Buffer): void; kept(): Kept } {
  let first = 0;
  let later = 0;
  return {
    take(chunk) {
      for (let rest = chunk; rest.length > 0; ) {
        const isFirst = first < size;
        const at = isFirst ? first : later % size;
        const written = put(rest.subarray(0, size - at), at, isFirst);
        if (isFirst) first += written;
        else later += written;
        rest = rest.subarray(written);
      }
    },
    kept() {
      const at = later % size;
      if (later <= size) return { first, last: [[0, later]], leftOut: 0 };
      return {
        first,
        last: [
          [at, size],
          [0, at],
        ],
        leftOut: later - size,
      };
    },
  };
}

/** `path` is absent when nothing could be saved. `first` and `last` are how many bytes of the beginning and of the end it has. */
export interface Saved {
  path?: string;
  first: number;
  last: number;
  trouble?: string;
}

/**
 * A file with the beginning and the end of a stream, each up to `edgeBytes`, however long it gets. Written synchronously: a
 * queue of chunks that wait for the disk would be the memory we want to save. Contract: never throws; `end` tells what went wrong.
 */
export function createSpillFile(open: () => OpenFile, edgeBytes: number): { write(chunk: Buffer): void; end(): Saved } {
  let file: OpenFile | undefined;
  let tail: number | undefined;
  let trouble: string | undefined;
  const attempt = (work: () => void): void => {
    try {
      if (trouble === undefined) work();
    } catch (error) {
      trouble = (error as Error).message;
    }
  };
  const edges = createEdges(edgeBytes, (part, at, isFirst) => {
    if (isFirst) return writeSync(file!.fd, part);
    tail ??= openNameless(`${file!.path}.tail`);
    return writeSync(tail, part, 0, part.length, at);
  });
  attempt(() => {
    file = open();
  });
  return {
    write: chunk => attempt(() => edges.take(chunk)),
    end() {
      const { first, last: parts, leftOut } = edges.kept();
      let last = 0;
      attempt(() => {
        if (tail === undefined) return;
        if (leftOut > 0) writeWhole(file!.fd, Buffer.from(`\n[${leftOut} bytes left out]\n`));
        for (const [from, to] of parts) copy(tail, file!.fd, from, to);
        last = parts.reduce((sum, [from, to]) => sum + to - from, 0);
      });
      for (const fd of [tail, file?.fd]) if (fd !== undefined) close(fd);
      const why = trouble === undefined ? {} : { trouble };
      return file === undefined || first === 0
        ? { first: 0, last: 0, ...why }
        : { path: file.path, first, last, ...why };
    },
  };
}

/** A file without a name, so that a crash leaves nothing of it. */
function openNameless(path: string): number {
  const fd = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return fd;
}

const copyBytes = 256 * 1024;

function copy(source: number, target: number, from: number, to: number): void {
  const buffer = Buffer.allocUnsafe(Math.min(to - from, copyBytes));
  for (let at = from; at < to; ) {
    const read = readSync(source, buffer, 0, Math.min(buffer.length, to - at), at);
    if (read === 0) throw new Error('its end could not be read again');
    writeWhole(target, buffer.subarray(0, read));
    at += read;
  }
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest));
}

function close(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // It is closed.
  }
}
