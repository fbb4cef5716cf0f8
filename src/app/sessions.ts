import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { findPlaces } from '../hooks/discovery/load.ts';
import { maskDeep } from '../model/mask.ts';
import type { StoredEntry, Task } from '../model/record.ts';
import type { SessionBrief, SessionView } from '../model/view.ts';
import { cacheFolder, stateFolder } from '../platform/folders.ts';
import { isServed } from '../session/control/address.ts';
import { createFileStore } from '../session/file-store/file-store.ts';
import { approvalsFolder } from '../session/file-store/question-files.ts';
import { createLogEntries, type LogEntry } from '../session/log-entries.ts';
import { entryToShow } from '../session/mask-start.ts';
import { checkSessionName, locateSession } from '../session/paths.ts';
import { readSession, toBrief } from '../session/read-session.ts';
import { tasksOf } from '../session/state/state.ts';
import type { ReadEnd, SessionStore, StoredSession } from '../session/store.ts';
import type { Context, Env, Where } from './context.ts';

export interface Sessions {
  root: string;
  store: SessionStore;
}

/** The sessions of a project. */
export const sessionsOf = (root: string, env: Env): Sessions => ({
  root,
  store: createFileStore({ root, state: stateFolder(env), cache: cacheFolder(env), approvals: approvalsFolder(env) }),
});

/** Those of the project that a folder is in. */
export const sessionsAt = ({ cwd, env }: Where): Sessions => sessionsOf(findPlaces(cwd, env).root, env);

/** One session of a project; a child has its parents' names in front. */
export interface NamedSession extends Sessions {
  name: string;
  folder: string;
}

const named = (sessions: Sessions, { name, files }: StoredSession): NamedSession => ({
  ...sessions,
  name,
  folder: files.folder,
});

export type SessionSearch =
  | { kind: 'found'; session: NamedSession }
  /** `known`: what it could have been; `of`: the session whose child is not there. */
  | { kind: 'unknown'; name: string; root: string; of?: string; known: readonly string[] }
  | { kind: 'group'; name: string }
  | { kind: 'bad-name' | 'foreign'; reason: string };

/** A session by its name, or a child as `SESSION/CHILD`. */
export async function findSession(name: string, where: Where): Promise<SessionSearch> {
  const sessions = sessionsAt(where);
  const { root, store } = sessions;
  const parts = name.split('/');
  const checked = checkSessionName(parts[0]!);
  if (checked.kind === 'bad') return { kind: 'bad-name', reason: checked.reason };
  for (const [index, part] of parts.entries()) {
    const parent = parts.slice(0, index).join('/');
    const found = await store.find(parts.slice(0, index + 1).join('/'));
    if (found.kind === 'foreign') return found;
    if (found.kind === 'absent') {
      const known = index === 0 ? await store.list() : await store.children(parent);
      const names = known.map(one => (index === 0 ? one.name : basename(one.name)));
      return { kind: 'unknown', name: part, root, ...(index > 0 && { of: parent }), known: names };
    }
    if (index === parts.length - 1)
      return found.kind === 'found'
        ? { kind: 'found', session: { ...named(sessions, found), name } }
        : { kind: 'group', name };
  }
  throw new RangeError('a name has parts');
}

export type SessionChoice =
  | Exclude<SessionSearch, { kind: 'group' }>
  /** What the environment of an agent or a hook names is not there. */
  | { kind: 'no-folder'; folder: string }
  | { kind: 'none'; root: string }
  | { kind: 'several'; names: readonly string[]; areRunning: boolean };

/** The session that is named, or that is meant because there is no other. */
export async function chooseSession(given: string | undefined, where: Where): Promise<SessionChoice> {
  const { env } = where;
  const ownFolder = env['HOOKLOOP_SESSION_DIR'];
  const name = given ?? (env['HOOKLOOP_SESSION'] || undefined);
  // The agent's own session, which may be a child of one and then is in no list.
  if (given === undefined && ownFolder?.startsWith('/') && (name === undefined || name === basename(ownFolder)))
    return inFolder(ownFolder, env);
  if (name === undefined) return onlyOne(sessionsAt(where));
  const checked = checkSessionName(name);
  if (checked.kind === 'bad') return { kind: 'bad-name', reason: checked.reason };
  const search = await findSession(name, where);
  if (search.kind !== 'group') return search;
  const { root, store } = sessionsAt(where);
  return { kind: 'unknown', name, root, known: (await store.list()).map(session => session.name) };
}

function inFolder(folder: string, env: Env): SessionChoice {
  const isThere = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory();
  const located = isThere ? locateSession(folder) : undefined;
  if (!located) return { kind: 'no-folder', folder };
  return { kind: 'found', session: { ...sessionsOf(located.root, env), name: located.name, folder } };
}

async function onlyOne(all: Sessions): Promise<SessionChoice> {
  const { root, store } = all;
  const sessions = (await store.list()).filter(isOwn);
  const running = sessions.filter(({ files }) => isServed(files.folder));
  const areRunning = running.length > 0;
  const [only, ...others] = areRunning ? running : sessions;
  if (!only) return { kind: 'none', root };
  if (others.length > 0) return { kind: 'several', names: [only, ...others].map(({ name }) => name), areRunning };
  return { kind: 'found', session: named(all, only) };
}

/** The session that was worked on last; undefined where none has run. */
export async function lastSession(where: Where): Promise<NamedSession | undefined> {
  const sessions = sessionsAt(where);
  const [last] = (await sessions.store.list()).filter(isOwn);
  return last && named(sessions, last);
}

/** Not what events outside sessions have started, and nothing whose start was cut short. */
const isOwn = ({ name, changedMs }: StoredSession): boolean => changedMs !== null && !name.includes('/');

/** Whether someone works on it and can be asked. */
export const isRunning = ({ folder }: NamedSession): boolean => isServed(folder);

/** The sessions of a project, the newest first. */
export async function listSessions(context: Context, nowMs: number): Promise<SessionBrief[]> {
  const { store } = sessionsAt(context);
  const briefs: SessionBrief[] = [];
  for (const { name } of await store.list()) briefs.push(toBrief(await readSession(store, name, { nowMs })));
  return maskDeep(briefs, context.mask);
}

/** What is true of a session now, with all runs of its hooks, or the last of them. */
export async function viewSession(
  { store, name }: NamedSession,
  { mask }: Context,
  { nowMs, lastHooks = Number.POSITIVE_INFINITY }: { nowMs: number; lastHooks: number | undefined },
): Promise<SessionView> {
  const view = await readSession(store, name, { nowMs });
  return maskDeep({ ...view, hooks: view.hooks.slice(-lastHooks) }, mask);
}

/** The tasks of a session, in the order in which they are counted. */
export const tasksIn = async ({ store, name }: NamedSession): Promise<readonly Task[]> =>
  tasksOf((await store.state(name)).state);

export interface LogOptions {
  /** Hears of each entry as it stands in the journal. */
  onEntry?(entry: StoredEntry): void;
  /** Hears of what entries tell programs. */
  onLogEntry?(entry: LogEntry): unknown;
  /** Go on until the session ends. */
  follow?:
    | {
        /** No one works on the session, and its journal does not say that it ended: told each time this begins. */
        onDeserted(): void;
        signal: AbortSignal;
      }
    | undefined;
}

/** Whether all of the journal could be read. */
export type LogEnd = ReadEnd;

/** Hands over the entries of a session's journal, as they may be shown. */
export function readLog(
  { store, name }: NamedSession,
  { mask }: Context,
  { onEntry, onLogEntry, follow }: LogOptions,
): Promise<LogEnd> {
  const logEntriesOf = createLogEntries();
  const show = (stored: StoredEntry): void => {
    const entry = entryToShow(maskDeep(stored, mask), mask);
    onEntry?.(entry);
    if (onLogEntry) for (const logEntry of logEntriesOf(entry)) onLogEntry(logEntry);
  };
  return follow ? followSession(store, name, { onEntry: show, ...follow }) : store.read(name, show);
}

type Following = Required<Pick<LogOptions, 'onEntry'>> & NonNullable<LogOptions['follow']>;

/** Hands over entries until the session's last word is that it ended. */
async function followSession(
  store: SessionStore,
  name: string,
  { onEntry, onDeserted, signal }: Following,
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
