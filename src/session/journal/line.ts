import { crc32 } from 'node:zlib';

/** A record as the journal holds it. `seq` counts from 1 without gaps; `at` is the wall clock, as ISO 8601. */
export type Entry<R extends object> = { seq: number; at: string } & R;

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
  if (line.length === 0) return 'the line is empty';
  const json = line.subarray(checksumLength + 1);
  if (line[checksumLength] !== 0x20) return 'the line has no checksum';
  if (readChecksum(line) !== crc32(json)) return 'the checksum does not match';
  try {
    const entry = JSON.parse(json.toString());
    return isEntry<R>(entry) ? entry : 'the line is not a journal entry';
  } catch {
    return 'the line is not JSON';
  }
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
