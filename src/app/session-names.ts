import { statSync } from 'node:fs';
import { withFoldersAbove } from '../platform/folders.ts';
import { sessionsIn } from '../session/file-store/list-sessions.ts';
import { sessionsFolder } from '../session/paths.ts';

/**
 * The sessions of the nearest folder that has any, the newest first. To find the project as other commands do takes every
 * dialect, which is too much for who waits with a finger on the tab key.
 */
export function sessionNames(cwd: string): string[] {
  const root = withFoldersAbove(cwd).find(folder =>
    statSync(sessionsFolder(folder), { throwIfNoEntry: false })?.isDirectory(),
  );
  return root === undefined ? [] : sessionsIn(root).map(({ name }) => name);
}
