import { statSync } from 'node:fs';
import { withFoldersAbove } from '../platform/folders.ts';
import { sessionNamesIn } from '../session/file-store/list-sessions.ts';
import { sessionsFolder } from '../session/paths.ts';

/**
 * The names of the sessions in the nearest folder that has any; nothing but that folder is looked at. Finding the project
 * as other commands do takes every dialect, which is too slow for someone who waits with a finger on the tab key.
 */
export function sessionNames(cwd: string): string[] {
  const root = withFoldersAbove(cwd).find(folder =>
    statSync(sessionsFolder(folder), { throwIfNoEntry: false })?.isDirectory(),
  );
  return root === undefined ? [] : sessionNamesIn(root);
}
