import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkSessionName } from './names.ts';
import { type SessionPaths, sessionPaths, sessionsFolder } from './paths.ts';

export interface SessionEntry {
  name: string;
  paths: SessionPaths;
  /** When its journal was last written; null where it has none, because its start was cut short. */
  changedMs: number | null;
}

/** Every session of a project, the one that changed last first. Links and foreign files are left aside. */
export function listSessions(root: string): SessionEntry[] {
  return namesIn(sessionsFolder(root))
    .filter(name => checkSessionName(name).kind === 'good')
    .map(name => sessionPaths(root, name))
    .filter(({ folder }) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
    .map(paths => ({ name: paths.name, paths, changedMs: changedAt(paths.journal) }))
    .sort((a, b) => (b.changedMs ?? 0) - (a.changedMs ?? 0) || (a.name < b.name ? -1 : 1));
}

/** A `sessions` that is a link, or leads nowhere, holds no sessions of this project. */
function namesIn(folder: string): string[] {
  try {
    const areReal = [join(folder, '..'), folder].every(path => lstatSync(path).isDirectory());
    return areReal ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

function changedAt(journal: string): number | null {
  const stats = lstatSync(journal, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.mtimeMs : null;
}
