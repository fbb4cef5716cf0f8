import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '../../platform/files.ts';
import { replaceFile } from './files.ts';

/** The one path that installed entries call: what stands behind it may move or be upgraded. */
export const launcherPath = (state: string): string => join(state, 'bin', 'hookloop');

/** Writes the script that starts the program. */
export function writeLauncher(state: string, text: string): void {
  const path = launcherPath(state);
  makePrivateFolder(dirname(path));
  if (readOrNothing(path) !== text) replaceFile(path, text, 0o755);
  chmodSync(path, 0o755);
}

export const removeLauncher = (state: string): void => rmSync(launcherPath(state), { force: true });

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
