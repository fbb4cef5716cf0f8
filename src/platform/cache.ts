import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivateFolder, readOwnFile, writeAtomically } from './files.ts';

/** A file of the cache, or undefined. It is code to run, so it counts only if no other user can have written it and it is whole. */
export function readCached(file: string): Buffer | undefined {
  const kept = readOwnFile(file);
  if (kept === undefined || kept.length <= sumBytes) return undefined;
  const content = kept.subarray(0, -sumBytes);
  return kept.readInt32LE(content.length) === sumOf(content) ? content : undefined;
}

/** Appears whole or not at all, whoever else writes it. A cache that cannot be written is no error. */
export function keepCached(file: string, content: Buffer): boolean {
  const sum = Buffer.alloc(sumBytes);
  sum.writeInt32LE(sumOf(content));
  try {
    makePrivateFolder(dirname(file));
    writeAtomically(file, Buffer.concat([content, sum]), { sync: 'bytes' });
    return true;
  } catch {
    return false;
  }
}

/** What files were made for comes and goes; the older half of too many goes with it. */
export function pruneCached(folder: string, maxKept: number): void {
  try {
    const names = readdirSync(folder);
    if (names.length <= maxKept) return;
    const files = names
      .map(name => join(folder, name))
      .map(path => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
    for (const { path } of files.sort((a, b) => a.at - b.at).slice(0, maxKept / 2)) rmSync(path, { force: true });
  } catch {
    // The next one does.
  }
}

const sumBytes = 4;
const blockBytes = 4096;

/** Against damage of the disk: some bytes of every block of it. A sum over all of them would cost what the cache saves. */
function sumOf(content: Buffer): number {
  const step = Math.max(1, Math.min(blockBytes / 2, content.length >> 6));
  let sum = content.length | 0;
  for (let at = 0; at < content.length; at += step) sum = ((sum << 5) - sum + content[at]!) | 0;
  return sum;
}

/** Two FNV-1a hashes: names of files, where what counts stands in the file itself, so that a collision only costs time. */
export function shortHash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x1234567];
  for (let at = 0; at < text.length; at += 1) {
    a = Math.imul(a ^ text.charCodeAt(at), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(at), 0x01000193) + at;
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}
