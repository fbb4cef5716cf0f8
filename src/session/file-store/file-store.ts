import { existsSync, lstatSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionRecord, StoredEntry } from '../../model/record.ts';
import { writeJson } from '../../platform/files.ts';
import { realPath } from '../../platform/folders.ts';
import { type FolderLock, holderOf, lockFolder } from '../../platform/lock.ts';
import { readInputs, writeInputs } from '../inputs.ts';
import { checkSessionName, type SessionFiles } from '../paths.ts';
import { fold, newState, type SessionState } from '../state/state.ts';
import type { Found, Held, NotHeld, ReadEnd, SessionStore, StateRead } from '../store.ts';
import { checkSessionFolder, createSessionFolder, findLink, furnishSessionFolder } from './folder.ts';
import { beginning } from './journal-lines.ts';
import { forgetStart, type StartContext, startForJournal, startFrom } from './kept-start.ts';
import { createKeptTexts } from './kept-texts.ts';
import { leased } from './lease.ts';
import {
  childrenOf,
  filesNamed,
  isOnlyFolder,
  journalOf,
  nestedIn,
  sessionsIn,
  tellOuter,
  toStored,
} from './list-sessions.ts';
import { createFileQuestions } from './question-files.ts';
import { followJournal, inspectJournal, orUnreadable, readFirst, streamJournal } from './read-journal.ts';
import { keepGoodEntries } from './repair.ts';
import { createKeeper, type Folded, foldJournal, type Keeping, positionBefore, stateToGoOnFrom } from './snapshot.ts';
import { openJournal } from './writer.ts';

export interface FileStoreOptions {
  /** Of the project. */
  root: string;
  /** The user's state folder, for what a journal must not tell. */
  state: string | undefined;
  /** The user's cache, for what long journals say. */
  cache: string | undefined;
  /** Where the user's questions are kept. */
  approvals?: string | undefined;
}

/** Sessions in folders of the project, each with a journal that only its holder writes. */
export function createFileStore({ root, state, cache, approvals }: FileStoreOptions): SessionStore {
  const filesOf = (name: string): SessionFiles => {
    const files = filesNamed(root, name);
    if (!files) throw new RangeError(`not a session name: ${JSON.stringify(name)}`);
    return files;
  };
  // By its real path: a copy of a session's folder is another session.
  const contextOf = ({ folder }: SessionFiles): StartContext => ({ root, folder: realPath(folder), state });
  const keepingOf = (files: SessionFiles): Keeping => ({ path: journalOf(files), cache });

  return {
    async create(name, start) {
      const files = filesOf(name);
      const created = createSessionFolder(files);
      if (created.kind === 'failed') return created;
      // To begin anew where a session has run would write over what it has made.
      if (created.kind === 'exists' && (isThere(journalOf(files)) || isThere(stateFileOf(files))))
        return { kind: 'exists' };
      const link = created.kind === 'exists' ? findLink(files) : undefined;
      if (link !== undefined) return { kind: 'failed', reason: link };
      const open = await openLocked(files);
      // Of those who want the same new name the first to lock has it, whoever made the folder.
      if (open.kind === 'busy') return { kind: 'exists' };
      if (open.kind !== 'open') return created.kind === 'exists' ? { kind: 'exists' } : open;
      // Without records its maker died before anything happened in it.
      if (open.state.lastSeq > 0) {
        await open.lease.release();
        return { kind: 'exists' };
      }
      const { plan, settings, values, run, program, origin, mask } = start;
      try {
        furnishSessionFolder(files);
        writeInputs(files, values);
        fold(
          open.state,
          await open.journal.append({
            kind: 'session.started',
            version: 1,
            session: files.name,
            program,
            ...(origin !== undefined && { origin }),
            ...startForJournal({ plan, settings }, mask, contextOf(files)),
            run,
          }),
        );
      } catch (error) {
        await open.lease.release();
        return { kind: 'failed', reason: `${files.folder}: ${(error as Error).message}` };
      }
      return { ...open, kind: 'held', name, files, start: { plan, settings }, values };
    },

    async hold(name, read) {
      const files = filesOf(name);
      const open = await openExisting(files, read);
      if (open.kind !== 'open') return open;
      const begun = begunWith(files, open.state);
      if ('start' in begun) return { ...open, kind: 'held', name, files, ...begun };
      await open.lease.release();
      return begun;
    },

    async note(name, work) {
      const files = filesOf(name);
      const open = await openExisting(files);
      if (open.kind !== 'open') return open;
      try {
        const lost = open.state.started ? whyLost(files, open.state.started) : undefined;
        if (lost !== undefined) return { kind: 'lost', reason: lost };
        if (!open.state.started) return neverBegun(files);
        return { kind: 'noted', value: await work({ ...open, files }) };
      } finally {
        await open.lease.release();
      }
    },

    async remove(name) {
      const files = filesOf(name);
      const folder = checkSessionFolder(files);
      if (folder.kind !== 'found') return folder;
      try {
        const lock = await lockFolder(files.folder);
        if (lock.kind === 'busy') return { kind: 'busy', pid: lock.pid };
        const context = contextOf(files);
        rmSync(files.folder, { recursive: true, force: true });
        forgetStart(context);
        await lock.release().catch(() => {});
        return { kind: 'removed' };
      } catch (error) {
        return { kind: 'failed', reason: `${files.folder}: ${(error as Error).message}` };
      }
    },

    async state(name, maxBytes = Number.POSITIVE_INFINITY) {
      const files = filesOf(name);
      const folded = hasJournal(files) ? orUnreadable(() => foldJournal(keepingOf(files), maxBytes)) : endOf(files);
      if (folded.kind !== 'folded') return { state: newState(), end: folded };
      const { state: told, damage } = folded;
      return { state: told, end: damage ? { kind: 'damaged', damage } : endOf(files), upTo: folded };
    },

    async read(name, onEntry, from = 1) {
      const files = filesOf(name);
      if (!hasJournal(files)) return endOf(files);
      const read = streamJournal(journalOf(files), since(from, onEntry), positionBefore(keepingOf(files), from));
      return read.kind === 'read' ? endOf(files) : read;
    },

    async follow(name, onEntry, signal, from = 1) {
      const files = filesOf(name);
      const lost = isThere(journalOf(files)) ? undefined : whyLost(files, undefined);
      if (lost !== undefined) return { kind: 'lost', reason: lost };
      // A session that is just starting has none yet.
      while (!signal.aborted && !existsSync(journalOf(files))) await delay(100, undefined, { signal }).catch(() => {});
      const begin = positionBefore(keepingOf(files), from);
      const followed = await followJournal(journalOf(files), since(from, onEntry), signal, begin);
      return followed.kind === 'stopped' ? endOf(files) : followed;
    },

    async startOf(name) {
      const files = filesOf(name);
      const first = readFirst<SessionRecord>(journalOf(files));
      if (first?.kind !== 'session.started') return undefined;
      const start = startFrom(first, contextOf(files));
      if (typeof start === 'string') return undefined;
      return { ...start, ...(first.origin !== undefined && { origin: first.origin }) };
    },

    async find(name): Promise<Found> {
      const files = filesNamed(root, name);
      if (!files) return { kind: 'absent' };
      const check = checkSessionFolder(files);
      if (check.kind === 'failed') return { kind: 'foreign', reason: check.reason };
      if (check.kind === 'absent') return check;
      if (isOnlyFolder(files)) return { kind: 'group' };
      return { kind: 'found', ...toStored(name, files) };
    },

    list: async () => sessionsIn(root),

    children: async name => childrenOf(name, filesOf(name)),

    async around(outerRoots) {
      const untold = tellOuter(root, outerRoots);
      const others = new Set([...outerRoots, ...[root, ...outerRoots].flatMap(nestedIn)]);
      const projects = [root, ...[...others].filter(other => other !== root)].map(each => ({
        root: each,
        store: createFileStore({ root: each, state: undefined, cache, approvals }),
      }));
      return { projects, ...(untold !== undefined && { untold }) };
    },

    questions: createFileQuestions(approvals),

    holder: async name => holderOf(filesOf(name).folder),

    async inspect(name) {
      const files = filesOf(name);
      const found = inspectJournal<object>(journalOf(files));
      if (found.kind === 'damaged' || (found.kind === 'unreadable' && existsSync(journalOf(files)))) return found;
      const reason = whyLost(files, found.kind === 'unreadable' ? undefined : found.kept[0]);
      return reason === undefined ? found : { kind: 'lost', reason };
    },

    async repair(name, mayRepair) {
      const files = filesOf(name);
      let lock: FolderLock;
      try {
        lock = await lockFolder(files.folder);
      } catch (error) {
        return { kind: 'not-locked', reason: `journal: ${(error as Error).message}` };
      }
      if (lock.kind === 'busy') return lock;
      try {
        return (await mayRepair()) ? keepGoodEntries(journalOf(files)) : { kind: 'declined' };
      } finally {
        await lock.release();
      }
    },
  };

  /** What a session was begun with: its first record says so, with what is kept beside it. */
  function begunWith(files: SessionFiles, { started }: SessionState): Pick<Held, 'start' | 'values'> | NotHeld {
    if (!started) return neverBegun(files);
    const lost = whyLost(files, started);
    if (lost !== undefined) return { kind: 'lost', reason: lost };
    const start = startFrom(started, contextOf(files));
    if (typeof start === 'string')
      return { kind: 'lost', reason: `the pipeline of ${files.name} cannot be read: ${start}` };
    const inputs = readInputs(files.inputs);
    return inputs.kind === 'bad' ? { kind: 'failed', reason: inputs.reason } : { start, values: inputs.values };
  }

  type Open = Pick<Held, 'journal' | 'lease' | 'state' | 'keep' | 'tellState'> & { kind: 'open' };

  async function openExisting(files: SessionFiles, read?: StateRead): Promise<Open | NotHeld> {
    const folder = checkSessionFolder(files);
    if (folder.kind !== 'found') return folder;
    const link = findLink(files);
    if (link !== undefined) return { kind: 'failed', reason: link };
    return existsSync(journalOf(files)) ? openLocked(files, read) : neverBegun(files);
  }

  async function openLocked(
    files: SessionFiles,
    read?: StateRead,
  ): Promise<Open | Extract<NotHeld, { kind: 'busy' | 'damaged' | 'failed' }>> {
    let lock: FolderLock;
    try {
      lock = await lockFolder(files.folder);
    } catch (error) {
      return { kind: 'failed', reason: `${files.folder}: ${(error as Error).message}` };
    }
    if (lock.kind === 'busy') return { kind: 'busy', pid: lock.pid };
    const keeping = keepingOf(files);
    let known: Pick<Folded, 'state' | 'cover'> | undefined;
    let now = newState();
    const opened = openJournal<SessionRecord>(journalOf(files), {
      begin(fd) {
        known = stateToGoOnFrom(keeping, fd, read?.upTo as Folded | undefined);
        now = known?.state ?? now;
        return known?.cover.end ?? beginning;
      },
      onEntry: entry => fold(now, entry),
    });
    if (opened.kind === 'open') {
      // It would grow with every run of a hook.
      delete now.hooks.all;
      const { journal, lease } = leased(opened.journal, lock, {
        keepState: createKeeper(keeping, known?.cover.end.offset ?? 0),
        onCompleted: () => forgetStart(contextOf(files)),
      });
      const keep = createKeptTexts(root, files);
      return { kind: 'open', journal, lease, state: now, keep, tellState: told => writeJson(stateFileOf(files), told) };
    }
    await lock.release();
    if (opened.kind === 'damaged') return opened;
    return { kind: 'failed', reason: `${journalOf(files)}: ${opened.reason}` };
  }
}

const hasJournal = (files: SessionFiles): boolean =>
  lstatSync(journalOf(files), { throwIfNoEntry: false }) !== undefined;

const since =
  (from: number, onEntry: (entry: StoredEntry) => void) =>
  (entry: StoredEntry): void => {
    if (entry.seq >= from) onEntry(entry);
  };

/** Only a session that has run has left it. */
const stateFileOf = ({ folder }: SessionFiles): string => join(folder, 'state.json');

function neverBegun(files: SessionFiles): NotHeld {
  const lost = whyLost(files, undefined);
  return lost === undefined ? { kind: 'empty' } : { kind: 'lost', reason: lost };
}

/** How it ends where all that there is could be read. */
function endOf(files: SessionFiles): ReadEnd {
  const first = readFirst<object>(journalOf(files));
  const lost = whyLost(files, first);
  if (lost !== undefined) return { kind: 'lost', reason: lost };
  return { kind: first ? 'read' : 'empty' };
}

/**
 * Why what stands in a session's folder is not its own journal, by the first record there is; undefined where it is, and
 * where the session has never run.
 */
function whyLost(files: SessionFiles, first: object | undefined): string | undefined {
  const { name, folder } = files;
  if (!first)
    return isThere(stateFileOf(files))
      ? `the journal of ${name} is lost: it has run, but journal.jsonl is empty or gone; what it produced is in ${folder}`
      : undefined;
  const { session = name } = first as { session?: unknown };
  if (session === name) return undefined;
  const isName = typeof session === 'string' && checkSessionName(session).kind === 'good';
  const owner = isName ? `session ${session}` : 'another session';
  return `the journal of ${name} is lost: journal.jsonl in ${folder} is that of ${owner}; restore its own to continue`;
}

const isThere = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
