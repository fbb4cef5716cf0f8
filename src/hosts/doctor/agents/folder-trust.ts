import { realpathSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import type { Trust } from '../report.ts';
import { readSettings } from '../settings.ts';

/** What a file of trusted folders says about a folder, as Gemini CLI and its kin keep it: the longest path wins. */
export function folderTrust(file: string, folder: string): Trust {
  const real = realOr(folder);
  const rules = Object.entries(readSettings(file))
    .map(([path, level]) => ({ path: level === 'TRUST_PARENT' ? dirname(path) : path, level }))
    .filter(({ path }) => isInside(real, realOr(path)))
    .sort((a, b) => b.path.length - a.path.length);
  const level = rules[0]?.level;
  return level === 'TRUST_FOLDER' || level === 'TRUST_PARENT' ? 'trusted' : 'untrusted';
}

/** The same for the folder of a stage. */
export const trustedFolders = (folder: string, trust: Trust): string =>
  `${JSON.stringify(trust === 'trusted' ? { [folder]: 'TRUST_FOLDER' } : {})}\n`;

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
