import { lstatSync } from 'node:fs';
import { readSession, toBrief } from '../../session/history/sessions.ts';
import type { SessionEntry } from '../../session/list.ts';
import type { SessionBrief } from '../../session/state/view.ts';

/** What ended sessions were like, read again only where something has changed. */
export interface Briefs {
  of(entry: SessionEntry): SessionBrief;
}

const maxKept = 1000;

/** Reading takes serve's whole attention, and agents wait for their hooks meanwhile. */
export const maxJournalBytes = 32 * 1024 * 1024;

export function createBriefs(): Briefs {
  const kept = new Map<string, { mark: string; brief: SessionBrief }>();
  return {
    of({ name, paths }) {
      const mark = markOf(paths.journal);
      const known = kept.get(paths.folder);
      if (known?.mark === mark) return known.brief;
      const brief = toBrief(readSession(paths, { name, maxBytes: maxJournalBytes }).view);
      kept.delete(paths.folder);
      // What runs, or has just begun to, changes without its journal.
      if (brief.status !== 'running') kept.set(paths.folder, { mark, brief });
      for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
      return brief;
    },
  };
}

function markOf(journal: string): string {
  const stats = lstatSync(journal, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
}
