import { basename } from 'node:path';
import { projectId } from '../../app/projects.ts';

/** A folder with sessions, as pages name it. */
export interface Project {
  id: string;
  root: string;
  name: string;
  /** With `~` for the user's home. */
  path: string;
}

export const toProject = (root: string, home: string | undefined): Project => ({
  id: projectId(root),
  root,
  name: basename(root) || root,
  path: home !== undefined && home !== '/' && root.startsWith(`${home}/`) ? `~${root.slice(home.length)}` : root,
});

export const sessionUrl = ({ id }: Project, session: string): string =>
  `/session/${id}/${session.split('/').map(encodeURIComponent).join('/')}`;

/** A command as it works in any folder. */
export const commandIn = ({ root, path }: Project, command: string): string => `${command} -C ${word(root, path)}`;

/** `~` counts only where nothing has to be quoted. */
const word = (root: string, path: string): string =>
  /^[\w./@%+=:,~-]+$/.test(path) ? path : `'${root.replaceAll("'", `'\\''`)}'`;
