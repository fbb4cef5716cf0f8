import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface FindPlaces {
  cwd: string;
  searchPath: string;
  /** A file of this program. */
  ownFile: string;
}

/** Where a program is: on PATH, in the project's node_modules, or in the one we came with. */
export function findProgram(name: string, { cwd, searchPath, ownFile }: FindPlaces): string | undefined {
  const folders = [
    ...searchPath.split(':').flatMap(folder => (folder === '' ? [] : [resolve(cwd, folder)])),
    ...binFolders(cwd),
    ...binFolders(dirname(realPath(ownFile))),
  ];
  return folders.map(folder => join(folder, name)).find(isProgram);
}

function binFolders(from: string): string[] {
  const parent = dirname(from);
  return [join(from, 'node_modules', '.bin'), ...(parent === from ? [] : binFolders(parent))];
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
