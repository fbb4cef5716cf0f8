import { join } from 'node:path';
import { readIfThere, replacePrivate, shortHash } from './files.ts';

interface Kept {
  session: string;
  roots: readonly string[];
}

/**
 * The roots of an agent's session, by its id: all that any of its calls has found. What is found now is added; what was
 * found before stays, so that a new root, `.git` or `root: true` takes no gate away. Contract: never throws; where
 * nothing can be kept, what is found now counts.
 */
export function settleRoots(
  memory: string | undefined,
  session: string | undefined,
  found: readonly string[],
): readonly string[] {
  if (memory === undefined || session === undefined) return found;
  const file = join(memory, 'roots', `${shortHash(session)}.json`);
  const known = keptIn(file, session);
  const added = found.filter(root => !known.includes(root));
  if (added.length === 0) return known;
  const roots = [...known, ...added];
  try {
    replacePrivate(file, JSON.stringify({ session, roots } satisfies Kept));
  } catch {
    // Said in the contract.
  }
  return roots;
}

function keptIn(file: string, session: string): readonly string[] {
  try {
    const kept = JSON.parse(readIfThere(file) ?? 'null') as Kept | null;
    return kept?.session === session && Array.isArray(kept.roots) ? kept.roots : [];
  } catch {
    return [];
  }
}
