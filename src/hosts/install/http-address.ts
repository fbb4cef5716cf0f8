import { ownFragment } from '../own-entry.ts';

/** The address of a call that goes straight to serve. `path`: what is called; `folder`: the one it is for. */
export const httpAddress = (port: number, path: string, folder: string): string =>
  `http://127.0.0.1:${port}${path}?cwd=${folder.split('/').map(encodeURIComponent).join('/')}${ownFragment}`;
