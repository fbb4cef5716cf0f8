import { accessSync, constants } from 'node:fs';

/** Whether we may run, or for a folder enter, it. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
