import { relative, resolve } from 'node:path';
import type { AgentListener } from '../model/agent.ts';
import {
  clockStepMs,
  isUntouched,
  type List,
  type Listing,
  openListing,
  type Signature,
  signatureOf,
} from './listing.ts';

export type ChangeWatch = ReturnType<typeof createChangeWatch>;

/**
 * Finds the files that someone else has changed, whoever it was: an agent's shell commands do not say what they edit.
 * Nothing is looked at before `begin`. `hurry` gives the signal of those who wait: once it is aborted they wait no longer
 * than a moment. Contract: never rejects; what cannot be seen is not listed.
 */
export function createChangeWatch(root: string, hurry: () => AbortSignal | undefined = () => undefined) {
  let list: Promise<List> | undefined;
  const look = async (before?: string): Promise<Listing> => {
    list ??= openListing(root, hurry);
    return (await list)(before);
  };
  const start = (): Promise<Listing> => look().catch(() => ({ files: new Map(), isWhole: true }));
  const startAt = async (since: number | Snapshot | undefined, last: Promise<Listing> | undefined) => {
    if (typeof since === 'object' && since.files) return fromSnapshot(since, since.files);
    const found = await start();
    if (since === undefined) return found;
    if (typeof since === 'number') return withLast(root, withoutYoung(found, since), await last);
    return { ...withoutYoung(found, since.atMs), head: since.head };
  };
  let before: Promise<Listing> | undefined;
  let atMs = 0;
  return {
    /**
     * Counts from here: once it resolves, whatever is there is known. `sinceMs`: what happened from then on, and was not
     * there at the last look, is already part of what is looked for. A snapshot: counts from where it was taken.
     */
    async begin(since?: number | Snapshot): Promise<void> {
      atMs = Date.now();
      before = startAt(since, before);
      await before;
    },
    /** Paths relative to the root, sorted, that were made, changed or removed since; and counts anew from here. */
    async changedSince(): Promise<readonly string[]> {
      before ??= start();
      const then = await before;
      atMs = Date.now();
      const now = await look(then.head).catch(() => then);
      before = Promise.resolve(now);
      return changedBetween(root, then, now).sort();
    },
    /** This file's present state is known: it is listed again only when it changes once more. */
    taken(path: string): void {
      const inside = relative(root, resolve(root, path));
      const signature = signatureOf(root, inside);
      void before?.then(({ files }) => files.set(inside, signature));
    },
    /** Whether nothing could be seen at the last look. */
    isBlind: async (): Promise<boolean> => (await before)?.isBlind ?? false,
    /** Where it counts from. */
    snapshot: async (): Promise<Snapshot> => toSnapshot(await (before ?? start()), atMs),
  };
}

/** More are rather an installation or a checkout than edits. */
const maxTold = 200;

/** The edits that are told; what is left out is said. */
export function toldEdits(changed: readonly string[], listener: AgentListener): readonly string[] {
  if (changed.length > maxTold)
    listener.show({ kind: 'log', text: `${changed.length} files changed; only the first ${maxTold} are listed` });
  return changed.slice(0, maxTold);
}

/** Finds what shell commands have edited. Of commands that run side by side each edit is told with the first that ends. */
export function createShellEdits(root: string, listener: AgentListener, hurry: () => AbortSignal) {
  const watch = createChangeWatch(root, hurry);
  let running = 0;
  return {
    async begin(sinceMs: number): Promise<void> {
      running += 1;
      if (running === 1) await watch.begin(sinceMs);
    },
    /** No command runs that anyone knows of, but one that waits for leave: whatever is there is known. */
    async anew(): Promise<void> {
      if (running <= 1) await watch.begin();
    },
    async end(): Promise<readonly string[]> {
      running -= 1;
      return toldEdits(await watch.changedSince(), listener);
    },
    /** A command that was announced and never ran. */
    leave(): void {
      running -= 1;
    },
    /** The file's present state is known to everyone. */
    taken: (path: string): void => watch.taken(path),
  };
}

/** Entries that may already be the work we look for do not count as known. */
const withoutYoung = (found: Listing, sinceMs: number): Listing => ({
  ...found,
  files: new Map([...found.files].filter(([, { changedMs }]) => changedMs < sinceMs - clockStepMs)),
});

/** What was told at the last look is known, however young it is. */
function withLast(root: string, found: Listing, last: Listing | undefined): Listing {
  if (!last) return found;
  const told = [...last.files].filter(([path, then]) => !found.files.has(path) && isUntouched(root, path, then));
  return { ...found, files: new Map([...found.files, ...told]) };
}

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

/** A look at the files of a project from which another process can go on counting. Plain JSON. */
export interface Snapshot {
  atMs: number;
  head?: string;
  /** Absent where there are too many: then only the time of a change tells, and nothing tells of a file that is gone. */
  files?: readonly Entry[];
}

type Entry = readonly [path: string, signature: string, content?: string];

/** Whoever keeps a snapshot writes it down for each iteration. */
const maxKept = 200;

function toSnapshot({ files, head, isWhole }: Listing, atMs: number): Snapshot {
  const isShort = isWhole && files.size <= maxKept;
  const entries = [...files].map(
    ([path, { text, content }]): Entry => (content === undefined ? [path, text] : [path, text, content]),
  );
  return { atMs, ...(head !== undefined && { head }), ...(isShort && { files: entries }) };
}

/** The files as they were then. */
const fromSnapshot = ({ atMs, head }: Snapshot, files: readonly Entry[]): Listing => ({
  files: new Map(files.map(([path, text, content]) => [path, { text, content, changedMs: atMs }])),
  isWhole: true,
  head,
});
