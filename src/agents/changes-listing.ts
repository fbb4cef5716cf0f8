import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** What a file looked like. */
export interface Signature {
  text: string;
  changedMs: number;
  /** Of a file so young that a later change may leave the text as it is. */
  content?: string;
}

/** Files of a project at one moment. In a repository only those that differ from its last commit. */
export interface Listing {
  files: ReadonlyMap<string, Signature>;
  /** The commit the files are compared with. */
  head?: string;
  /** False where a limit cut it short: a missing file says nothing then. */
  isWhole: boolean;
  /** Nothing could be seen. */
  isBlind?: true;
}

export const listing = (files: ReadonlyMap<string, Signature> = new Map(), isWhole = true): Listing => ({
  files,
  isWhole,
});

export function signatureOf(root: string, path: string): Signature {
  try {
    const file = join(root, path);
    return toSignature(lstatSync(file), file);
  } catch {
    return { text: 'gone', changedMs: 0 };
  }
}

/** The kernel stamps files with a clock that goes in steps of some milliseconds, and is that much behind. */
export const clockStepMs = 20;

export function toSignature(stats: Stats, file: string): Signature {
  const { ino, size, mtimeMs, ctimeMs } = stats;
  const isYoung = Date.now() - ctimeMs < clockStepMs;
  return {
    text: `${ino}:${size}:${mtimeMs}:${ctimeMs}`,
    changedMs: Math.max(mtimeMs, ctimeMs),
    ...(isYoung && { content: contentOf(stats, file) }),
  };
}

/** Whether nobody has touched the file since it looked like this. */
export function isUntouched(root: string, path: string, then: Signature, now = signatureOf(root, path)): boolean {
  if (then.text !== now.text) return false;
  if (then.content === undefined) return true;
  return then.content === (now.content ?? presentContent(join(root, path)));
}

function presentContent(file: string): string {
  try {
    return contentOf(lstatSync(file), file);
  } catch {
    return 'gone';
  }
}

/** A larger file is not written anew within a step of the clock. */
const maxReadBytes = 4 * 1024 * 1024;

function contentOf(stats: Stats, file: string): string {
  try {
    if (stats.isSymbolicLink()) return readlinkSync(file);
    if (!stats.isFile() || stats.size > maxReadBytes) return '';
    return createHash('sha1').update(readFileSync(file)).digest('hex');
  } catch {
    return '';
  }
}

/** Nobody wants to hear of an edit in these. */
const quietFolders = new Set(['node_modules', '.git', '.hookloop']);

export const isQuiet = (name: string): boolean => quietFolders.has(name);
export const isQuietPath = (path: string): boolean => path.split('/').some(isQuiet);
