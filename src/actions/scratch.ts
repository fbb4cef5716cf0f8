import { closeSync, unlinkSync, writeFileSync } from 'node:fs';
import { openNumberedFile, openPrivateFile } from './private-file.ts';

/** Holds values that are too long for a hook's environment or command line. Contract: `write` throws only file errors. */
export interface Scratch {
  write(name: string, text: string): string;
  remove(path: string): void;
}

export const createScratch = (folder: string): Scratch => ({
  write: (name, text) => fill(openPrivateFile(folder, name), text),
  remove,
});

/** Keeps a text for people to look at, in a file that is called after it. Contract: throws only file errors. */
export const keepText = (folder: string, name: string, text: string): string =>
  fill(openNumberedFile(folder, name), text);

function fill({ path, fd }: { path: string; fd: number }, text: string): string {
  try {
    writeFileSync(fd, text);
  } catch (error) {
    remove(path);
    throw error;
  } finally {
    closeSync(fd);
  }
  return path;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The hook may have removed its own file.
  }
}
