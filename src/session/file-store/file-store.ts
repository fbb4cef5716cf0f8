import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionRecord } from '../../model/record.ts';
import { writeJson } from '../../platform/files.ts';
import { type FolderLock, holderOf, lockFolder } from '../../platform/lock.ts';
import { readInputs, writeInputs } from '../inputs.ts';
import {
  checkSessionName,
  childNamed,
  type SessionFiles,
  sessionFiles,
  sessionsFolder,
  sessionWithoutName,
} from '../paths.ts';
import { fold, newState } from '../state/state.ts';
import type { Found, Held, NotHeld, ReadEnd, SessionStore, StoredSession } from '../store.ts';
import { checkSessionFolder, createSessionFolder, findLink, furnishSessionFolder } from './folder.ts';
import { createKeptTexts } from './kept-texts.ts';
import { leased } from './lease.ts';
import { followJournal, inspectJournal, readFirst, streamJournal } from './reader.ts';
import { keepGoodEntries } from './repair.ts';
import { forgetStart, type StartContext, startForJournal, startFrom } from './start.ts';
import { openJournal } from './writer.ts';

export interface FileStoreOptions {
  /** Of the project. */
  root: string;
  /** The user's state folder, for what a journal must not tell. */
  state: string | undefined;
}

/** Sessions in folders of the project, each with a journal that only its holder writes. */
export function createFileStore({ root, state }: FileStoreOptions): SessionStore {
  const filesOf = (name: string): SessionFiles => {
    const files = filesNamed(root, name);
    if (!files) throw new RangeError(`not a session name: ${JSON.stringify(name)}`);
    return files;
  };
  const contextOf = ({ folder }: SessionFiles): StartContext => ({ root, folder: realOf(folder), state });

  return {
    async create(name, start) {
      const files = filesOf(name);
      const created = createSessionFolder(files);
      if (created.kind !== 'created' && created.kind !== 'exists') return { kind: 'failed', reason: created.reason };
      // To begin anew where a session has run would write over what it has made.
      if (created.kind === 'exists' && (isThere(journalOf(files)) || isThere(stateFileOf(files))))
        return { kind: 'exists' };
      const link = created.kind === 'exists' ? findLink(files) : undefined;
      if (link) return { kind: 'failed', reason: link.reason };
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

    async hold(name) {
      const files = filesOf(name);
      const folder = checkSessionFolder(files);
      if (folder.kind === 'absent') return folder;
      if (folder.kind !== 'found') return { kind: 'failed', reason: folder.reason };
      const link = findLink(files);
      if (link) return { kind: 'failed', reason: link.reason };
      if (!existsSync(journalOf(files))) return neverBegun(files);
      const open = await openLocked(files);
      if (open.kind !== 'open') return open;
      const { lease, state: now } = open;
      const letGo = async (instead: NotHeld): Promise<NotHeld> => {
        await lease.release();
        return instead;
      };
      if (!now.started) return letGo(neverBegun(files));
      const lost = whyLost(files, now.started);
      if (lost !== undefined) return letGo({ kind: 'lost', reason: lost });
      const start = startFrom(now.started, contextOf(files));
      if (start.kind === 'lost')
        return letGo({ kind: 'lost', reason: `the pipeline of ${files.name} cannot be read: ${start.reason}` });
      const inputs = readInputs(files.inputs);
      if (inputs.kind === 'bad') return letGo({ kind: 'failed', reason: inputs.reason });
      const { plan, settings } = start;
      const { values } = inputs;
      return { ...open, kind: 'held', name, files, start: { plan, settings }, values };
    },

    async read(name, onEntry) {
      const files = filesOf(name);
      let first: object | undefined;
      const streamed = lstatSync(journalOf(files), { throwIfNoEntry: false })
        ? streamJournal(journalOf(files), entry => {
            first ??= entry;
            onEntry(entry);
          })
        : undefined;
      if (streamed && streamed.kind !== 'read') return streamed;
      return endOf(files, first);
    },

    async follow(name, onEntry, signal) {
      const files = filesOf(name);
      let first: object | undefined;
      const lost = isThere(journalOf(files)) ? undefined : whyLost(files, undefined);
      if (lost !== undefined) return { kind: 'lost', reason: lost };
      // A session that is just starting has none yet.
      while (!signal.aborted && !existsSync(journalOf(files))) await delay(100, undefined, { signal }).catch(() => {});
      if (signal.aborted) return endOf(files, undefined);
      const followed = await followJournal(
        journalOf(files),
        entry => {
          first ??= entry;
          onEntry(entry);
        },
        signal,
      );
      return followed.kind === 'stopped' ? endOf(files, first) : followed;
    },

    async startOf(name) {
      const files = filesOf(name);
      const first = readFirst<SessionRecord>(journalOf(files));
      const start = first?.kind === 'session.started' ? startFrom(first, contextOf(files)) : undefined;
      if (first?.kind !== 'session.started' || start?.kind !== 'found') return undefined;
      const { plan, settings } = start;
      return { plan, settings, ...(first.origin !== undefined && { origin: first.origin }) };
    },

    async find(name): Promise<Found> {
      const files = filesNamed(root, name);
      if (!files) return { kind: 'absent' };
      const check = checkSessionFolder(files);
      if ('reason' in check) return { kind: 'foreign', reason: check.reason };
      if (check.kind === 'absent') return check;
      if (isOnlyFolder(files)) return { kind: 'group' };
      return { kind: 'found', ...toStored(name, files) };
    },

    async list() {
      const own = namesIn(sessionsFolder(root))
        .filter(name => checkSessionName(name).kind === 'good')
        .map(name => sessionFiles(root, name))
        .filter(isFolder);
      return own
        .flatMap(files => (isOnlyFolder(files) ? childrenOf(files.name, files) : [toStored(files.name, files)]))
        .sort((a, b) => (b.changedMs ?? 0) - (a.changedMs ?? 0) || (a.name < b.name ? -1 : 1));
    },

    children: async name => childrenOf(name, filesOf(name)),

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

  type Open = Pick<Held, 'journal' | 'lease' | 'state' | 'keep' | 'tellState'> & { kind: 'open' };

  async function openLocked(
    files: SessionFiles,
  ): Promise<Open | Extract<NotHeld, { kind: 'busy' | 'damaged' | 'failed' }>> {
    let lock: FolderLock;
    try {
      lock = await lockFolder(files.folder);
    } catch (error) {
      return { kind: 'failed', reason: `${files.folder}: ${(error as Error).message}` };
    }
    if (lock.kind === 'busy') return { kind: 'busy', pid: lock.pid };
    const now = newState({ work: true }) as Held['state'];
    const opened = openJournal<SessionRecord>(journalOf(files));
    if (opened.kind === 'open') {
      for (const entry of opened.entries) fold(now, entry);
      const { journal, lease } = leased(opened.journal, lock, () => forgetStart(contextOf(files)));
      const keep = createKeptTexts(root, files);
      return { kind: 'open', journal, lease, state: now, keep, tellState: told => writeJson(stateFileOf(files), told) };
    }
    await lock.release();
    if (opened.kind === 'damaged') return opened;
    return { kind: 'failed', reason: `${journalOf(files)}: ${opened.reason}` };
  }
}

const journalOf = ({ folder }: SessionFiles): string => join(folder, 'journal.jsonl');

/** Only a session that has run has left it. */
const stateFileOf = ({ folder }: SessionFiles): string => join(folder, 'state.json');

function filesNamed(root: string, name: string): SessionFiles | undefined {
  const [first = '', ...rest] = name.split('/');
  if (checkSessionName(first).kind === 'bad') return undefined;
  let found: SessionFiles | undefined = sessionFiles(root, first);
  for (const part of rest) found = found && childNamed(found, part);
  return found;
}

/** A copy of a session's folder is another session. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function neverBegun(files: SessionFiles): NotHeld {
  const lost = whyLost(files, undefined);
  return lost === undefined ? { kind: 'empty' } : { kind: 'lost', reason: lost };
}

function endOf(files: SessionFiles, first: object | undefined): ReadEnd {
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
      ? `the journal of ${name} is lost: it has run, but journal.jsonl is empty or gone; what it has made is in ${folder}`
      : undefined;
  const { session = name } = first as { session?: unknown };
  if (session === name) return undefined;
  const isName = typeof session === 'string' && checkSessionName(session).kind === 'good';
  const owner = isName ? `session ${session}` : 'another session';
  return `the journal of ${name} is lost: journal.jsonl in ${folder} is that of ${owner}; put its own back to go on`;
}

const isThere = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

function toStored(name: string, files: SessionFiles): StoredSession {
  const stats = lstatSync(journalOf(files), { throwIfNoEntry: false });
  const isFile = stats?.isFile() === true;
  return {
    name,
    files,
    changedMs: isFile ? stats.mtimeMs : null,
    bytes: stats?.size ?? 0,
    version: stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '',
  };
}

/** The folder that what events outside of sessions start has in common; it is no session itself. */
const isOnlyFolder = (files: SessionFiles): boolean =>
  files.name === sessionWithoutName && !lstatSync(journalOf(files), { throwIfNoEntry: false })?.size;

const isFolder = ({ folder }: SessionFiles): boolean =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;

/** Links and foreign files are left aside. */
function childrenOf(name: string, files: SessionFiles): StoredSession[] {
  return namesIn(files.children)
    .flatMap(child => childNamed(files, child) ?? [])
    .filter(isFolder)
    .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
    .map(child => toStored(`${name}/${child.name}`, child));
}

/** A folder that is a link, or leads nowhere, holds no sessions of this project. */
function namesIn(folder: string): string[] {
  try {
    const areReal = [join(folder, '..'), folder].every(path => lstatSync(path).isDirectory());
    return areReal ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}
