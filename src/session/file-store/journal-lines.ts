import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Entry } from '../../model/record.ts';
import type { Damage, Torn } from '../store.ts';

const checksumLength = 8;
const newline = Buffer.from('\n');
const hexDigits: readonly number[] = [...Buffer.from('0123456789abcdef')];

/** Checksum, space, JSON, newline. The JSON itself never holds a raw newline or NUL. */
export function encodeLine(entry: object): Buffer {
  const json = Buffer.from(JSON.stringify(entry));
  const checksum = crc32(json).toString(16).padStart(checksumLength, '0');
  return Buffer.concat([Buffer.from(`${checksum} `), json, newline]);
}

/** The entry of one line (without its newline), or what is wrong with it. */
export function decodeLine<R extends object>(line: Buffer): Entry<R> | string {
  const flaw = flawIn(line);
  if (flaw !== undefined) return flaw;
  try {
    const entry = JSON.parse(line.toString('utf8', checksumLength + 1));
    return isEntry<R>(entry) ? entry : 'the line is not a journal entry';
  } catch {
    return 'the line is not JSON';
  }
}

function flawIn(line: Buffer): string | undefined {
  if (line.length === 0) return 'the line is empty';
  if (line[checksumLength] !== 0x20) return 'the line has no checksum';
  return readChecksum(line) === crc32(line.subarray(checksumLength + 1)) ? undefined : 'the checksum does not match';
}

/** Digit by digit, because making a text for every line shows in the time a large journal takes to open. */
function readChecksum(line: Buffer): number {
  let value = 0;
  for (let index = 0; index < checksumLength; index += 1) {
    const digit = hexDigits.indexOf(line[index]!);
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}

const isEntry = <R extends object>(value: unknown): value is Entry<R> =>
  typeof value === 'object' && value !== null && 'seq' in value && Number.isSafeInteger(value.seq) && 'at' in value;

/** Where to go on reading: behind the entry `seq`. */
export interface Position {
  offset: number;
  seq: number;
}

export const beginning: Position = { offset: 0, seq: 0 };

/** What was found behind the good entries. */
export interface Scan<R extends object> {
  /** Behind the last good entry before any bad line. */
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

/** Is told each good entry, and where its line begins. */
export type OnLine<R extends object> = (entry: Entry<R>, offset: number) => void;

const chunkBytes = 1024 * 1024;
const shownChars = 200;

/**
 * Reads a journal from a position on and hands over its good entries up to the first bad line, one at a time, so that a
 * large journal takes no more memory than a small one. Only a last line that was never written whole counts as torn.
 */
export function scanFile<R extends object>(fd: number, onEntry: OnLine<R>, from = beginning): Scan<R> {
  const scan: Scan<R> = { end: from, later: [] };
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
      const { offset } = scan.end;
      scan.end = { offset: offset + line.bytes.length + 1, seq: entry.seq };
      onEntry(entry, offset);
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

/** Whether every line up to a position has its checksum; what the lines say is not looked at. */
export function isIntact(fd: number, until: Position): boolean {
  let [offset, seq] = [0, 0];
  for (const { bytes, ended } of linesOf(fd)) {
    if (offset >= until.offset || !ended || flawIn(bytes) !== undefined) break;
    offset += bytes.length + 1;
    seq += 1;
  }
  return offset === until.offset && seq === until.seq;
}

/** The buffer of a line is used again for the next chunk: whoever keeps it copies it. */
export function* linesOf(fd: number, from = 0): Generator<Line> {
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
