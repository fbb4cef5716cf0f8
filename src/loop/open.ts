import { createMark, stopProcesses } from '../actions/process/stop.ts';
import type { Mask } from '../hooks/secrets/mask.ts';
import type { PipelinePlan } from '../model/pipeline.ts';
import type { RunMark, SessionEntry, SessionRecord, SessionSettings } from '../model/record.ts';
import { ownIdentity } from '../platform/processes.ts';
import { checkSessionFolder, createSessionFolder, findLink, furnishSessionFolder } from '../session/folder.ts';
import type { JournalError } from '../session/journal/disk.ts';
import { type Opened as OpenedJournal, openJournal } from '../session/journal/journal.ts';
import { lockSession, type SessionLock } from '../session/journal/lock.ts';
import type { Damage } from '../session/journal/scan.ts';
import { isThere, whyLost } from '../session/lost.ts';
import { readInputs, writeInputs } from '../session/outputs.ts';
import type { SessionPaths } from '../session/paths.ts';
import { fold, newState, type SessionState } from '../session/state/state.ts';
import { startForJournal, startOf } from './start.ts';

export type OpenState = SessionState & Required<Pick<SessionState, 'work'>>;

/** A session that is ours to work on. */
export interface OpenSession {
  kind: 'open';
  paths: SessionPaths;
  plan: PipelinePlan;
  settings: SessionSettings;
  values: Readonly<Record<string, unknown>>;
  run: RunMark;
  /** When the session began, whatever process it was. */
  startedAt: string;
  journal: Extract<OpenedJournal<SessionRecord>, { kind: 'open' }>['journal'];
  /** What is true of it, with all that is done. */
  state: OpenState;
  /** Lets go of journal and lock. */
  close(): Promise<void>;
}

export type NotOpen =
  | { kind: 'exists' }
  | { kind: 'absent' }
  | { kind: 'busy'; pid?: number }
  | { kind: 'damaged'; damage: Damage }
  | { kind: 'finished' }
  /** It has run, and its own journal, or the key to its start, is not there. */
  | { kind: 'lost'; reason: string }
  | { kind: 'failed'; reason: string };

export interface Beginning {
  paths: SessionPaths;
  plan: PipelinePlan;
  settings: SessionSettings;
  values: Readonly<Record<string, unknown>>;
  program: string;
  origin?: string;
  /** For what its start tells in the journal. */
  mask: Mask;
}

/** Makes the session's folder and journal; nothing of an earlier session is touched. */
export async function beginSession({
  paths,
  plan,
  settings,
  values,
  program,
  origin,
  mask,
}: Beginning): Promise<OpenSession | NotOpen> {
  const created = createSessionFolder(paths);
  if (created.kind !== 'created' && created.kind !== 'exists') return { kind: 'failed', reason: created.reason };
  // To begin anew where a session has run would write over what it has made.
  if (created.kind === 'exists' && (isThere(paths.journal) || isThere(paths.state))) return { kind: 'exists' };
  const link = created.kind === 'exists' ? findLink(paths) : undefined;
  if (link) return { kind: 'failed', reason: link.reason };
  const held = await hold(paths);
  // Of those who want the same new name the first to lock has it, whoever made the folder.
  if (held.kind === 'busy') return { kind: 'exists' };
  if (held.kind !== 'held') return created.kind === 'exists' ? { kind: 'exists' } : held;
  // Without records its maker died before anything happened in it.
  if (held.entries.length > 0) {
    await held.close();
    return { kind: 'exists' };
  }
  const run = { number: 1, ...ownIdentity(), mark: createMark() };
  const state = stateAfter([]);
  let startedAt: string;
  try {
    furnishSessionFolder(paths);
    writeInputs(paths, values);
    const entry = await held.journal.append({
      kind: 'session.started',
      version: 1,
      session: paths.name,
      program,
      ...(origin !== undefined && { origin }),
      ...startForJournal(paths, { plan, settings }, mask),
      run,
    });
    fold(state, entry);
    startedAt = entry.at;
  } catch (error) {
    await held.close();
    return { kind: 'failed', reason: `${paths.folder}: ${(error as Error).message}` };
  }
  const { journal, close } = held;
  return {
    kind: 'open',
    paths,
    plan,
    settings,
    values,
    run,
    startedAt,
    journal,
    state,
    close,
  };
}

/** Takes up a session where its journal ends. What its last process has left running is ended first. */
export async function reopenSession(paths: SessionPaths): Promise<OpenSession | NotOpen> {
  const folder = checkSessionFolder(paths);
  if (folder.kind === 'absent') return folder;
  if (folder.kind !== 'found') return { kind: 'failed', reason: folder.reason };
  const link = findLink(paths);
  if (link) return { kind: 'failed', reason: link.reason };
  const held = await hold(paths);
  if (held.kind !== 'held') return held;
  const { journal, entries, close } = held;
  const letGo = async <T>(instead: T): Promise<T> => {
    await close();
    return instead;
  };
  const state = stateAfter(entries);
  const { started, closed } = state;
  const lost = whyLost(paths, started);
  if (lost !== undefined) return letGo({ kind: 'lost', reason: lost });
  if (!started) return letGo({ kind: 'failed', reason: `${paths.name} was never started: its journal is empty` });
  if (closed?.status === 'completed') return letGo({ kind: 'finished' });
  const start = startOf(paths, started);
  if (start.kind === 'sealed')
    return letGo({ kind: 'lost', reason: `the pipeline of ${paths.name} cannot be read: ${start.reason}` });
  const inputs = readInputs(paths.inputs);
  if (inputs.kind === 'bad') return letGo({ kind: 'failed', reason: inputs.reason });
  for (const { mark } of state.runs) await stopProcesses({ mark }, graceMs);
  const run = { number: state.runs.length + 1, ...ownIdentity(), mark: createMark() };
  const resumed = {
    kind: 'session.resumed',
    run,
    ...(closed?.failedIn !== undefined && { again: closed.failedIn }),
  } as const;
  const entry = await journal.append(resumed);
  const { plan, settings } = start;
  const { values } = inputs;
  fold(state, entry);
  const startedAt = entries[0]!.at;
  return { kind: 'open', paths, plan, settings, values, run, startedAt, journal, state, close };
}

const graceMs = 2000;

function stateAfter(entries: readonly SessionEntry[]): OpenState {
  const state = newState({ work: true }) as OpenState;
  for (const entry of entries) fold(state, entry);
  return state;
}

type Held =
  | (Pick<OpenSession, 'journal' | 'close'> & { kind: 'held'; entries: readonly SessionEntry[] })
  | Extract<NotOpen, { kind: 'busy' | 'damaged' | 'failed' }>;

async function hold(paths: SessionPaths): Promise<Held> {
  let lock: SessionLock;
  try {
    lock = await lockSession(paths.folder);
  } catch (error) {
    return { kind: 'failed', reason: `${paths.folder}: ${(error as JournalError).reason}` };
  }
  if (lock.kind === 'busy') return { kind: 'busy', pid: lock.pid };
  const opened = openJournal<SessionRecord>(paths.journal);
  if (opened.kind === 'open') {
    const { journal, entries } = opened;
    const close = async (): Promise<void> => {
      await journal.close();
      await lock.release();
    };
    return { kind: 'held', journal, entries, close };
  }
  await lock.release();
  if (opened.kind === 'damaged') return opened;
  return { kind: 'failed', reason: `${paths.journal}: ${opened.reason}` };
}
