import { existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What the names of our files look like, so that cleaning up never touches anybody else's. */
export const privateFileName = /^hook-\d+-\d+-\d+\./;

let count = 0;

/** A new file only the user can read (0600), in a folder only the user can enter (0700 where it is made here). */
export function openPrivateFile(folder: string, name: string): { path: string; fd: number } {
  return openNew(folder, () => {
    count += 1;
    return `hook-${Date.now()}-${process.pid}-${count}.${name}.txt`;
  });
}

/** The same for files that people look through: `0007-unit-tests.txt`, numbered in the order in which they were made. */
export function openNumberedFile(folder: string, name: string): { path: string; fd: number } {
  return openNew(folder, () => `${String(lastNumber(folder) + 1).padStart(4, '0')}-${name}.txt`);
}

function openNew(folder: string, nextName: () => string): { path: string; fd: number } {
  for (let isMade = false; ; ) {
    const path = join(folder, nextName());
    try {
      return { path, fd: openSync(path, 'ax+', 0o600) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      if (code !== 'ENOENT' || isMade) throw error;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      isMade = true;
    }
  }
}

function lastNumber(folder: string): number {
  let last = 0;
  for (const name of existsSync(folder) ? readdirSync(folder) : [])
    last = Math.max(last, Number(/^(\d{4,9})-/.exec(name)?.[1] ?? 0));
  return last;
}
