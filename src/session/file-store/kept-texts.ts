import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inPrivateFolder, writeNew } from '../../platform/files.ts';
import type { SessionFiles } from '../paths.ts';
import type { Held } from '../store.ts';

/** What one process adds to a session's folder at most: an agent may read large files for days. */
const maxTotalBytes = 1_000_000_000;

/** Keeps long texts as `kept/0007-agent.tool.txt` in the session's folder, numbered in the order in which they came. */
export function createKeptTexts(root: string, { folder }: SessionFiles): Held['keep'] {
  const kept = join(folder, 'kept');
  let number: number | undefined;
  let bytes = 0;
  return (name, text) => {
    bytes += Buffer.byteLength(text);
    if (bytes > maxTotalBytes) return undefined;
    try {
      number = (number ?? lastNumber(kept)) + 1;
      const path = join(kept, `${String(number).padStart(4, '0')}-${name}.txt`);
      inPrivateFolder(path, () => writeNew(path, text));
      return relative(root, path);
    } catch {
      // Head and tail are in the record all the same.
      return undefined;
    }
  };
}

function lastNumber(folder: string): number {
  try {
    return Math.max(0, ...readdirSync(folder).map(name => Number.parseInt(name, 10) || 0));
  } catch {
    return 0;
  }
}
