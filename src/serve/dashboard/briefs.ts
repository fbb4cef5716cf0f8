import type { Sessions } from '../../app/sessions.ts';
import { readSession, toBrief } from '../../session/read-session.ts';
import type { SessionBrief } from '../../session/state/view.ts';
import type { StoredSession } from '../../session/store.ts';

/** What ended sessions were like, read again only where something has changed. */
export interface Briefs {
  of(sessions: Sessions, session: StoredSession): Promise<SessionBrief>;
}

const maxKept = 1000;

/** Reading takes serve's whole attention, and agents wait for their hooks meanwhile. */
export const maxJournalBytes = 32 * 1024 * 1024;

export function createBriefs(): Briefs {
  const kept = new Map<string, { version: string; brief: SessionBrief }>();
  return {
    async of({ store }, { name, files, version }) {
      const known = kept.get(files.folder);
      if (known?.version === version) return known.brief;
      const brief = toBrief(await readSession(store, name, { maxBytes: maxJournalBytes }));
      kept.delete(files.folder);
      // What runs, or has just begun to, changes without its journal.
      if (brief.status !== 'running') kept.set(files.folder, { version, brief });
      for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
      return brief;
    },
  };
}
