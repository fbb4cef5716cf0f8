import { dialects } from '../dialects/index.ts';
import { createLook } from '../hooks/discovery/look.ts';
import { findPlaces } from '../hooks/discovery/roots.ts';
import { cacheFolder, stateFolder } from '../platform/folders.ts';
import { createFileStore } from '../session/file-store/file-store.ts';
import { checkSessionName, locateSession } from '../session/paths.ts';
import type { ReadEnd, SessionStore, StoredEntry, StoredSession } from '../session/store.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface Sessions {
  root: string;
  store: SessionStore;
}

/** The sessions of a project. */
export const sessionsOf = (root: string, env: Env): Sessions => ({
  root,
  store: createFileStore({ root, state: stateFolder(env), cache: cacheFolder(env) }),
});

/** Those of the project that a folder is in. */
export const sessionsAt = (cwd: string, env: Env): Sessions =>
  sessionsOf(findPlaces(cwd, env, dialects, createLook()).root, env);

/** A session by its folder; undefined where it is none of a project. */
export function sessionIn(folder: string, env: Env): (Sessions & { name: string }) | undefined {
  const located = locateSession(folder);
  return located && { ...sessionsOf(located.root, env), name: located.name };
}

export type SessionSearch =
  | { kind: 'found'; session: StoredSession }
  /** `known`: what it could have been; `of`: the session whose child is not there. */
  | { kind: 'unknown'; name: string; of?: string; known: readonly string[] }
  | { kind: 'group'; name: string }
  | { kind: 'bad-name' | 'foreign'; reason: string };

/** A session by its name, or a child as `SESSION/CHILD`. */
export async function findSession(store: SessionStore, name: string): Promise<SessionSearch> {
  const parts = name.split('/');
  const checked = checkSessionName(parts[0]!);
  if (checked.kind === 'bad') return { kind: 'bad-name', reason: checked.reason };
  for (const [index, part] of parts.entries()) {
    const parent = parts.slice(0, index).join('/');
    const found = await store.find(parts.slice(0, index + 1).join('/'));
    const isLast = index === parts.length - 1;
    if (found.kind === 'foreign') return found;
    if (found.kind === 'absent') {
      const known = (index === 0 ? await store.list() : await store.children(parent)).map(one =>
        lastOf(one.name, index),
      );
      return { kind: 'unknown', name: part, ...(index > 0 && { of: parent }), known };
    }
    if (isLast) return found.kind === 'found' ? { kind: 'found', session: found } : { kind: 'group', name };
  }
  throw new RangeError('a name has parts');
}

const lastOf = (name: string, index: number): string => (index === 0 ? name : name.split('/').at(-1)!);

export interface FollowOptions {
  onEntry(entry: StoredEntry): void;
  /** No one works on the session, and its journal does not say that it ended: told each time this begins. */
  onDeserted(): void;
  signal: AbortSignal;
}

/** Hands over entries until the session's last word is that it ended. */
export async function followSession(
  store: SessionStore,
  name: string,
  { onEntry, onDeserted, signal }: FollowOptions,
): Promise<ReadEnd> {
  const end = new AbortController();
  const watch = watchHolder(store, name, onDeserted);
  let isClosed = false;
  try {
    return await store.follow(
      name,
      entry => {
        onEntry(entry);
        const { kind } = entry as { kind?: unknown };
        isClosed = kind === 'session.closed' || (isClosed && kind !== 'session.resumed');
        // All entries there are come before this: one of them may say that the session goes on.
        if (isClosed) setImmediate(() => isClosed && end.abort());
      },
      AbortSignal.any([signal, end.signal]),
    );
  } finally {
    clearInterval(watch);
  }
}

const lookMs = 1000;

/** Two looks in a row: a session changes hands in less. */
function watchHolder(store: SessionStore, name: string, onDeserted: () => void): NodeJS.Timeout {
  let misses = 0;
  return setInterval(async () => {
    misses = (await store.holder(name)) ? 0 : misses + 1;
    if (misses === 2) onDeserted();
  }, lookMs);
}
