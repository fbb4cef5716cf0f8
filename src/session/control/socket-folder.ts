import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../platform/files.ts';
import { stateFolder } from '../../platform/folders.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Folders for sockets that nobody but the user can reach into, best first. Made when they are tried. */
export function socketFolders(env: Env): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'];
  const state = stateFolder(env);
  return [
    ...(runtime?.startsWith('/') ? [join(runtime, 'hookloop')] : []),
    ...(state === undefined ? [] : [join(state, 'run')]),
    `/tmp/hookloop-${process.getuid?.()}`,
  ];
}

/** Makes the folder, or says why it cannot hold a socket. Others may have made it before us, in /tmp above all. */
export function makePrivate(folder: string, env: Env): string | undefined {
  try {
    mkdirSync(folder, { recursive: folder.startsWith(`${stateFolder(env)}/`), mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return reasonOf(error);
  }
  try {
    const stats = lstatSync(folder);
    if (!stats.isDirectory()) return 'it is not a folder';
    if (stats.uid !== process.getuid?.()) return 'it belongs to another user';
    if ((stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}
