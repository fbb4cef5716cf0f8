import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What a file looked like. Two equal texts mean: nobody has touched it in between. */
export interface Signature {
  text: string;
  changedMs: number;
}

/** Files of a project at one moment. In a repository only those that differ from its last commit. */
export interface Listing {
  files: ReadonlyMap<string, Signature>;
  /** The commit the files are compared with. */
  head?: string;
  /** False where a limit cut it short: a missing file says nothing then. */
  isWhole: boolean;
}

export const listing = (files: ReadonlyMap<string, Signature> = new Map(), isWhole = true): Listing => ({
  files,
  isWhole,
});

export function signatureOf(root: string, path: string): Signature {
  try {
    return toSignature(lstatSync(join(root, path)));
  } catch {
    return { text: 'gone', changedMs: 0 };
  }
}

export const toSignature = ({ ino, size, mtimeMs, ctimeMs }: Stats): Signature => ({
  text: `${ino}:${size}:${mtimeMs}:${ctimeMs}`,
  changedMs: Math.max(mtimeMs, ctimeMs),
});

/** Nobody wants to hear of an edit in these. */
const quietFolders = new Set(['node_modules', '.git', '.hookloop']);

export const isQuiet = (name: string): boolean => quietFolders.has(name);
export const isQuietPath = (path: string): boolean => path.split('/').some(isQuiet);
