import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** `bytes` is used again for the next chunk: whoever keeps it copies it. Absent where the line is too long to be held. */
interface BoundedLine {
  /** From 1. */
  number: number;
  bytes?: Buffer;
}

const chunkBytes = 1024 * 1024;

/**
 * The lines of a file that someone else has written, of whatever size, in memory for one of them. What is no regular file
 * has none. Contract: throws the system's error.
 */
export function* boundedLines(path: string, maxBytes: number): Generator<BoundedLine> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (fstatSync(fd).isFile()) yield* linesIn(fd, maxBytes);
  } finally {
    closeSync(fd);
  }
}

function* linesIn(fd: number, maxBytes: number): Generator<BoundedLine> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let number = 1;
  let parts: Buffer[] = [];
  let held = 0;
  const line = (piece: Buffer): BoundedLine => {
    const bytes = held + piece.length;
    const whole = parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
    [parts, held] = [[], 0];
    return bytes > maxBytes ? { number } : { number, bytes: whole };
  };
  for (let length = readSync(fd, chunk); length > 0; length = readSync(fd, chunk)) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1 && end < length; end = chunk.indexOf(0x0a, start)) {
      yield line(chunk.subarray(start, end));
      number += 1;
      start = end + 1;
    }
    held += length - start;
    // Of a line that is too long only its length counts.
    if (held > maxBytes) parts = [];
    else if (start < length) parts.push(Buffer.from(chunk.subarray(start, length)));
    if (parts.length === 0) held = Math.min(held, maxBytes + 1);
  }
  if (held > 0) yield line(Buffer.alloc(0));
}
