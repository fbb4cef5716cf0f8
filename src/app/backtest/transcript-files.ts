import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../platform/files.ts';

/** A file or folder that could not be looked at, and why. */
export interface Unread {
  path: string;
  why: string;
}

interface FilesWanted {
  /** Files, and folders that are gone through to the bottom. What is not there is passed over. */
  paths: readonly string[];
  /** What was last written before then has nothing to say. */
  sinceMs: number | undefined;
  onUnread(unread: Unread): void;
}

/** Every file of lines below some paths, each once, in the order of their names. In a folder only `.jsonl` files count. */
export function* transcriptFiles({ paths, sinceMs = 0, onUnread }: FilesWanted): Generator<string> {
  const known = new Set<string>();
  for (const path of paths) yield* filesBelow(path, true);

  function* filesBelow(path: string, isNamed: boolean): Generator<string> {
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (!stats) return;
      // By where it leads: links may lead around in circles, and to what was read before.
      const real = realpathSync.native(path);
      if (known.has(real)) return;
      if (stats.isFile() && (stats.mtimeMs < sinceMs || !(isNamed || path.endsWith('.jsonl')))) return;
      known.add(real);
      if (stats.isFile()) yield path;
      else if (!stats.isDirectory()) {
        if (isNamed) onUnread({ path, why: 'it is not a regular file' });
      } else for (const name of readdirSync(path).toSorted()) yield* filesBelow(join(path, name), false);
    } catch (error) {
      onUnread({ path, why: reasonOf(error) });
    }
  }
}
