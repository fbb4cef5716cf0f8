import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeWhole } from './files.ts';

/** The one path that installed entries call: what stands behind it may move or be upgraded. */
export const launcherPath = (state: string): string => join(state, 'bin', 'hookloop');

/** Writes the script that starts the program. */
export function writeLauncher(state: string, text: string): void {
  const path = launcherPath(state);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (readOrNothing(path) !== text) writeWhole(path, text, 0o755);
  chmodSync(path, 0o755);
}

export const removeLauncher = (state: string): void => rmSync(launcherPath(state), { force: true });

/** One word for `sh`, bare where that is the same. */
export const quoted = (word: string): string =>
  /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
