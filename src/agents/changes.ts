import { relative, resolve } from 'node:path';
import { openRepository } from './changes-git.ts';
import { clockStepMs, isUntouched, type Listing, listing, type Signature, signatureOf } from './changes-listing.ts';
import { fromSnapshot, type Snapshot, toSnapshot } from './changes-snapshot.ts';
import { walk } from './changes-walk.ts';

export type { Snapshot } from './changes-snapshot.ts';

/** Finds the files that somebody else has changed, whoever it was: an agent's shell commands do not say what they edit. */
export interface ChangeWatch {
  /**
   * Counts from here: once it resolves, whatever is there is known. `sinceMs`: what happened from then on, and was not there
   * at the last look, is already part of what is looked for. A snapshot: counts from where it was taken.
   */
  begin(since?: number | Snapshot): Promise<void>;
  /** Paths relative to the root, sorted, that were made, changed or removed since; and counts anew from here. */
  changedSince(): Promise<readonly string[]>;
  /** This file's present state is known: it is listed again only when it changes once more. */
  taken(path: string): void;
}

export interface SnapshotWatch extends ChangeWatch {
  /** Where it counts from. */
  snapshot(): Promise<Snapshot>;
  /** Whether nothing could be seen at the last look. */
  isBlind(): Promise<boolean>;
}

/**
 * Uses git where there is a repository, else the times of files. Nothing is looked at before `begin`. `hurry` gives the
 * signal of those who wait: once it is aborted they wait no longer than a moment.
 * Contract: never rejects; what cannot be seen is not listed.
 */
export function createChangeWatch(root: string, hurry: () => AbortSignal | undefined = () => undefined): SnapshotWatch {
  let repository: ReturnType<typeof openRepository> | undefined;
  const look = async (): Promise<Listing> => {
    repository ??= openRepository(root, hurry);
    return (await repository)?.list() ?? (await walk(root));
  };
  const known = new Map<string, Signature>();
  const start = (): Promise<Listing> => look().catch(() => listing());
  const startSince = async (sinceMs: number, last: Promise<Listing> | undefined): Promise<Listing> =>
    withLast(root, withoutYoung(await start(), sinceMs - clockStepMs), await last);
  const startFrom = async (snapshot: Snapshot): Promise<Listing> => {
    const { head: _now, ...old } = withoutYoung(await start(), snapshot.atMs - clockStepMs);
    return { ...old, ...(snapshot.head !== undefined && { head: snapshot.head }) };
  };
  const startAt = async (
    since: number | Snapshot | undefined,
    last: Promise<Listing> | undefined,
  ): Promise<Listing> => {
    if (since === undefined) return start();
    if (typeof since === 'number') return startSince(since, last);
    return fromSnapshot(since) ?? startFrom(since);
  };
  let before: Promise<Listing> | undefined;
  let atMs = 0;
  return {
    async begin(since) {
      atMs = Date.now();
      before = startAt(since, before);
      await before;
    },
    async changedSince() {
      before ??= start();
      const then = await before;
      atMs = Date.now();
      const now = await look().catch(() => then);
      before = Promise.resolve(now);
      const moved = (await (await repository)?.between(then.head, now.head)) ?? [];
      const changed = new Set([...changedBetween(root, then, now), ...moved.filter(path => isNew(root, then, path))]);
      const isKnown = (path: string): boolean => {
        const taken = known.get(path);
        return taken !== undefined && isUntouched(root, path, taken);
      };
      const fresh = [...changed].filter(path => !isKnown(path)).sort();
      known.clear();
      return fresh;
    },
    taken(path) {
      const inside = relative(root, resolve(root, path));
      known.set(inside, signatureOf(root, inside));
    },
    isBlind: async () => (await before)?.isBlind ?? false,
    snapshot: async () => toSnapshot(await (before ?? start()), atMs),
  };
}

/** What was told at the last look is known, however young it is. */
function withLast(root: string, found: Listing, last: Listing | undefined): Listing {
  if (!last) return found;
  const told = [...last.files].filter(([path, then]) => !found.files.has(path) && isUntouched(root, path, then));
  return { ...found, files: new Map([...found.files, ...told]) };
}

/** For those to whom edits do not matter: looking costs some milliseconds each time. */
export const watchNothing: ChangeWatch = {
  begin: async () => {},
  changedSince: async () => [],
  taken: () => {},
};

/** Entries that may already be the work we look for do not count as known. */
const withoutYoung = (found: Listing, limitMs: number): Listing => ({
  ...found,
  files: new Map([...found.files].filter(([, { changedMs }]) => changedMs < limitMs)),
});

function changedBetween(root: string, then: Listing, now: Listing): string[] {
  const changed = [...now.files]
    .filter(([path, signature]) => isNew(root, then, path, signature))
    .map(([path]) => path);
  const left = [...then.files.keys()].filter(path => !now.files.has(path) && isNew(root, then, path));
  return [...changed, ...(now.isWhole ? left : [])];
}

function isNew(root: string, then: Listing, path: string, now?: Signature): boolean {
  const signature = then.files.get(path);
  return signature === undefined || !isUntouched(root, path, signature, now);
}
