import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { memoryFolder } from '../../platform/processes.ts';
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
const maxMemoryChars = 1024 * 1024;

/** Linux's O_TMPFILE, which Node does not name: a file that never has a name. */
const withoutName = 0o20000000 | constants.O_DIRECTORY;

/** undefined where there is no such place, or no room in it. */
function openInMemory(text: string): number | undefined {
  const folder = memoryFolder();
  if (folder === undefined) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(folder, withoutName | constants.O_RDWR, 0o600);
    const bytes = Buffer.from(text);
    // At a position, so that whoever gets the file reads it from its beginning.
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
    return fd;
  } catch {
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}
