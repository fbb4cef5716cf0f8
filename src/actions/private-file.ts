import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** What the names of our files look like, so that cleaning up never touches anybody else's. */
export const privateFileName = /^hook-\d+-\d+-\d+\./;

let count = 0;

/** A new file only the user can read (0600), in a folder only the user can enter (0700 where it is made here). */
export function openPrivateFile(folder: string, name: string): { path: string; fd: number } {
  for (let isMade = false; ; ) {
    count += 1;
    const path = join(folder, `hook-${Date.now()}-${process.pid}-${count}.${name}.txt`);
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
