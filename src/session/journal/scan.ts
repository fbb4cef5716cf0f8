import { readSync } from 'node:fs';
import { decodeLine, type Entry } from './line.ts';

/** A bad line that is more than a torn end. Lines count from 1, offsets in bytes from 0. */
export interface Damage {
  line: number;
  offset: number;
  reason: string;
  goodEntries: number;
  laterGoodEntries: number;
}

/** Bytes after the last whole entry; of the text only the beginning. */
export interface Torn {
  bytes: number;
  text: string;
}

/** Where to go on reading: behind the entry `seq`. */
export interface Position {
  offset: number;
  seq: number;
}

export interface Scan<R extends object> {
  /** The good entries up to the first bad line, and the place behind them. */
  entries: Entry<R>[];
  end: Position;
  /** A whole last entry that only lacks its newline. */
  unended?: { entry: Entry<R>; bytes: number };
  torn?: Torn;
  damage?: Damage;
  /** Good entries behind the damage. */
  later: Entry<R>[];
}

interface Line {
  bytes: Buffer;
  ended: boolean;
}

const chunkBytes = 1024 * 1024;
const shownChars = 200;

/** Reads a journal from a position on. Only a last line that was never written whole counts as torn. */
export function scanFile<R extends object>(fd: number, from: Position = { offset: 0, seq: 0 }): Scan<R> {
  const scan: Scan<R> = { entries: [], end: { ...from }, later: [] };
  let bad: { line: Line; reason: string } | undefined;
  let linesAfterBad = 0;
  for (const line of linesOf(fd, from.offset)) {
    const entry = decodeLine<R>(line.bytes);
    if (bad) {
      linesAfterBad += 1;
      if (typeof entry !== 'string') scan.later.push(entry);
    } else if (typeof entry === 'string') {
      bad = { line: { bytes: Buffer.from(line.bytes), ended: line.ended }, reason: entry };
    } else if (entry.seq !== scan.end.seq + 1) {
      bad = { line: { bytes: Buffer.alloc(0), ended: true }, reason: `entry ${entry.seq} follows ${scan.end.seq}` };
    } else if (!line.ended) {
      scan.unended = { entry, bytes: line.bytes.length };
    } else {
      scan.entries.push(entry);
      scan.end = { offset: scan.end.offset + line.bytes.length + 1, seq: entry.seq };
    }
  }
  if (!bad) return scan;
  const { line, reason } = bad;
  if (linesAfterBad === 0 && isTorn(line)) {
    scan.torn = { bytes: line.bytes.length + (line.ended ? 1 : 0), text: line.bytes.toString('utf8', 0, shownChars) };
  } else {
    scan.damage = {
      line: scan.end.seq + 1,
      offset: scan.end.offset,
      reason,
      goodEntries: scan.end.seq,
      laterGoodEntries: scan.later.length,
    };
  }
  return scan;
}

/**
 * A write that was cut short lacks its newline; after a power loss blocks that never reached the disk read as NUL.
 * A whole last line with a wrong checksum may have been acknowledged, so it is damage, not a torn end.
 */
const isTorn = ({ bytes, ended }: Line): boolean => !ended || bytes.includes(0);

/** The buffer of a line is used again for the next chunk: whoever keeps it copies it. */
function* linesOf(fd: number, from: number): Generator<Line> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let parts: Buffer[] = [];
  for (let position = from; ; ) {
    const length = readSync(fd, chunk, 0, chunkBytes, position);
    if (length === 0) break;
    position += length;
    const filled = chunk.subarray(0, length);
    let start = 0;
    for (let end = filled.indexOf(0x0a); end !== -1; end = filled.indexOf(0x0a, start)) {
      const piece = filled.subarray(start, end);
      yield { bytes: parts.length === 0 ? piece : Buffer.concat([...parts, piece]), ended: true };
      parts = [];
      start = end + 1;
    }
    if (start < length) parts.push(Buffer.from(filled.subarray(start)));
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), ended: false };
}
