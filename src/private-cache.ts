import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A file of the cache, or undefined. It is code to run, so it counts only if no other user can have written it. */
export function readPrivately(file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const { uid, mode } = fstatSync(fd);
    return uid === process.getuid?.() && (mode & 0o022) === 0 ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Appears whole or not at all, whoever else writes it. A cache that cannot be written is no error. */
export function keepPrivately(file: string, content: string | Uint8Array): boolean {
  const temporary = `${file}.${process.pid}.${process.hrtime.bigint()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
    return true;
  } catch {
    remove(temporary);
    return false;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never written.
  }
}
