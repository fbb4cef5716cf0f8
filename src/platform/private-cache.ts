import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A file of the cache, or undefined. It is code to run, so it counts only if no other user can have written it and it is whole. */
export function readPrivately(file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    // Without O_NONBLOCK a pipe in place of the file would be waited for.
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o022) !== 0) return undefined;
    const kept = Buffer.allocUnsafe(stats.size);
    if (readSync(fd, kept) !== stats.size) return undefined;
    const content = kept.subarray(0, -markBytes);
    return kept.length > markBytes && kept.readInt32LE(content.length) === markOf(content) ? content : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Appears whole or not at all, whoever else writes it. A cache that cannot be written is no error. */
export function keepPrivately(file: string, content: Buffer): boolean {
  const temporary = `${file}.${process.pid}.${process.hrtime.bigint()}.tmp`;
  const mark = Buffer.alloc(markBytes);
  mark.writeInt32LE(markOf(content));
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      for (const part of [content, mark]) for (let at = 0; at < part.length; ) at += writeSync(fd, part, at);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
    return true;
  } catch {
    remove(temporary);
    return false;
  }
}

const markBytes = 4;
const blockBytes = 4096;

/** Some bytes of every block of a disk: a sum over all of them would cost what the cache saves. */
function markOf(content: Buffer): number {
  const step = Math.max(1, Math.min(blockBytes / 2, content.length >> 8));
  let mark = content.length | 0;
  for (let at = 0; at < content.length; at += step) mark = ((mark << 5) - mark + content[at]!) | 0;
  return mark;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never written.
  }
}
