import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Appears whole or not at all, with the mode of the file it takes the place of. */
export function writeWhole(path: string, text: string, mode?: number): void {
  const temporary = join(dirname(path), `.hookloop-${process.pid}-${Date.now()}.tmp`);
  const fd = openSync(temporary, 'wx', mode ?? 0o644);
  try {
    writeFileSync(fd, text);
    // The process's mask does not apply to a mode that somebody chose.
    if (mode !== undefined) chmodSync(temporary, mode);
    fsyncSync(fd);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Makes the folders of a file that are missing; returns them, outermost first. */
export function makeFolders(path: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) mkdirSync(folder);
  return missing;
}

/** Removes folders, given outermost first, as far as they are empty. */
export function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch (error) {
      // One that somebody has removed already keeps nothing from going.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
    }
  }
}
