import { closeSync, constants, openSync, writeSync } from 'node:fs';
import type { Scratch } from '../scratch.ts';

/** A text as an open file without a name, to be read as stdin. Contract: throws only file errors. */
export function openInput(text: string, scratch: Scratch): number {
  const inMemory = text.length <= maxMemoryChars ? openInMemory(text) : undefined;
  if (inMemory !== undefined) return inMemory;
  const path = scratch.write('stdin', text);
  try {
    return openSync(path, 'r');
  } finally {
    scratch.remove(path);
  }
}

/** Texts beyond it go to the disk. */
export const maxMemoryChars = 1024 * 1024;

/** Where Linux keeps files in memory. On a disk a file that is written and removed again holds up the next one. */
const memoryFolder = '/dev/shm';

/** Linux's O_TMPFILE, which Node does not name: a file that never has a name. */
const withoutName = 0o20000000 | constants.O_DIRECTORY;

/** An empty one in memory; undefined where there is no such place. */
export function createInput(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return openSync(memoryFolder, withoutName | constants.O_RDWR, 0o600);
  } catch {
    return undefined;
  }
}

/** At a position, so that whoever gets the file reads it from its beginning. Contract: throws only file errors. */
export function writeInput(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
}

/** undefined where there is no such place, or no room in it. */
function openInMemory(text: string): number | undefined {
  const fd = createInput();
  if (fd === undefined) return undefined;
  try {
    writeInput(fd, text);
    return fd;
  } catch {
    closeSync(fd);
    return undefined;
  }
}
