import { closeSync, unlinkSync, writeFileSync } from 'node:fs';
import { openPrivateFile } from './private-file.ts';

/** Holds values that are too long for a hook's environment or command line. Contract: `write` throws only file errors. */
export interface Scratch {
  write(name: string, text: string): string;
  remove(path: string): void;
}

export const createScratch = (folder: string): Scratch => ({
  write(name, text) {
    const { path, fd } = openPrivateFile(folder, name);
    try {
      writeFileSync(fd, text);
    } catch (error) {
      remove(path);
      throw error;
    } finally {
      closeSync(fd);
    }
    return path;
  },
  remove,
});

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The hook may have removed its own file.
  }
}
