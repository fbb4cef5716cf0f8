import type { PipelinePlan } from '../model/pipeline.ts';
import type { ContextFile, Question, Settlement } from '../model/question.ts';
import type { Entry, RunMark, SessionRecord, SessionSettings, StoredEntry } from '../model/record.ts';
import type { SessionFiles } from './paths.ts';
import type { WholeState } from './state/state.ts';

/**
 * Where the sessions of a project are kept. A session is known by its name, a child by its parents' names in front:
 * `release/on_stage_complete-3`. Contract: nothing rejects but for bugs; what could not be done is a value.
 */
export interface SessionStore {
  /** Makes a session, which must be new, and holds it. Nothing of an earlier one is touched. */
  create(name: string, start: SessionStart): Promise<Held | NotHeld>;
  /** Takes a session for work; one process at a time has it. `read`: only what came since is read; its state is used up. */
  hold(name: string, read?: StateRead): Promise<Held | NotHeld>;
  /** Lets something be noted in a session that is no work of it, while no one else has it. What it was begun with is not needed. */
  note<T>(name: string, work: (held: Noting) => Promise<T>): Promise<{ kind: 'noted'; value: T } | NotHeld>;
  /** Removes a session with all that is kept of it, unless someone works on it. */
  remove(name: string): Promise<{ kind: 'removed' } | NotHeld>;
  /** What is true of a session now. Takes nothing. More than `maxBytes` that no one has folded before are left unread. */
  state(name: string, maxBytes?: number): Promise<StateRead>;
  /**
   * Hands over every entry there is, from the one with the number `from` on, one at a time, and takes nothing. They may
   * come from a file that someone else made. What stands before the first is not looked at.
   */
  read(name: string, onEntry: (entry: StoredEntry) => void, from?: number): Promise<ReadEnd>;
  /** As `read`, and then each new entry until the signal. */
  follow(name: string, onEntry: (entry: StoredEntry) => void, signal: AbortSignal, from?: number): Promise<ReadEnd>;
  /** What the session was begun with, where that can be told. */
  startOf(name: string): Promise<KnownStart | undefined>;
  find(name: string): Promise<Found>;
  /** Every session of the project, the one that changed last first. */
  list(): Promise<StoredSession[]>;
  /** Those that a session, or an event outside sessions, has started. */
  children(name: string): Promise<StoredSession[]>;
  /**
   * All whose sessions may work on the same files, the own first: those of the roots around this one, and of those known
   * inside all these. From now on the roots around know this one; `untold`: why one does not.
   */
  around(outerRoots: readonly string[]): Promise<{ projects: readonly ProjectSessions[]; untold?: string }>;
  /** Who works on a session right now. */
  holder(name: string): Promise<Holder | undefined>;
  questions: Questions;
  /** What is wrong with the record of a session. */
  inspect(name: string): Promise<Inspection<object> | { kind: 'lost'; reason: string }>;
  /** Asks `mayRepair` while it holds the session, and keeps what is good of its record. */
  repair(name: string, mayRepair: () => Promise<boolean>): Promise<RepairEnd>;
}

/**
 * Questions to people, of all the user's sessions: each is asked once and settled once, whoever does it. Contract: what
 * changes something rejects where it is not sure that it is kept.
 */
export interface Questions {
  /** Where they are: who serves the same ones can do so together. */
  place: string;
  /** The question that was asked for this origin and not withdrawn, or a new one, made for the id it gets. */
  ask(
    origin: string | undefined,
    make: (id: string) => { question: Question; context: readonly ContextFile[] },
  ): Promise<AskedQuestion>;
  /** Undefined for one that does not exist or was never finished. */
  find(id: string): Promise<Question | undefined>;
  /** In the order they were asked. */
  all(): Promise<readonly Question[]>;
  context(id: string): Promise<readonly ContextFile[]>;
  /** Only whoever asked changes a question. What `how` is given is what it is now. */
  change(id: string, how: (question: Question) => Question): Promise<Question | undefined>;
  settlement(id: string): Promise<Settlement | undefined>;
  settle(id: string, settlement: Settlement): Promise<Settled>;
  /** Tells that there may be news; some are told late or never, so whoever waits also looks now and then. Returns what ends it. */
  watch(id: string, onChange: () => void): () => void;
  /** Removes what no one asks about any more: settled long ago, never finished, or of a session that is gone. */
  prune(nowMs: number): Promise<void>;
  /** What their links are made with; made when first needed. */
  secret(): Promise<Buffer>;
  /** The same without making one. */
  knownSecret(): Promise<Buffer | undefined>;
}

export interface AskedQuestion {
  question: Question;
  isAskedAgain: boolean;
}

/** `recorded`: this call ended the question. `settled`: something else did before. Both are kept. */
export type Settled = { kind: 'recorded' | 'settled'; settlement: Settlement };

/** The sessions of one root. */
export interface ProjectSessions {
  root: string;
  store: SessionStore;
}

/** What a session begins with. */
export interface Start {
  plan: PipelinePlan;
  settings: SessionSettings;
}

export interface SessionStart extends Start {
  values: Readonly<Record<string, unknown>>;
  run: RunMark;
  /** The version of this program. */
  program: string;
  origin?: string;
  /** For what its start tells in the record. */
  mask(text: string): string;
}

export type KnownStart = Start & { origin?: string };

/** A session that is ours to work on. */
export interface Held {
  kind: 'held';
  name: string;
  files: SessionFiles;
  start: Start;
  values: Readonly<Record<string, unknown>>;
  /** After all that is written. */
  state: WholeState;
  journal: Journal;
  lease: Lease;
  /**
   * Keeps a text that is too long for the record; returns its path in the project, undefined where it cannot be kept.
   * `name` tells people what it is.
   */
  keep(name: string, text: string): string | undefined;
  /** Lets people who look into the session's folder know where it stands. */
  tellState(told: object): void;
}

export type Noting = Pick<Held, 'files' | 'state' | 'journal'>;

export interface Lease {
  /** Aborted: someone else has the session now. From then on nothing more is written to it from here. */
  lost: AbortSignal;
  /** What is not written yet is; then others may have it. Once, however often it is asked for. */
  release(): Promise<void>;
}

export type NotHeld =
  | { kind: 'exists' }
  | { kind: 'absent' }
  | { kind: 'busy'; pid?: number }
  | { kind: 'damaged'; damage: Damage }
  /** It has run, and its own record, or what it was begun with, is not there. */
  | { kind: 'lost'; reason: string }
  /** It was never begun: nothing is written. */
  | { kind: 'empty' }
  | { kind: 'failed'; reason: string };

/** Append-only record of a session. Contract: `append` resolves once the entry is on disk, in order, else rejects with the reason. */
export interface Journal<R extends object = SessionRecord> {
  /**
   * `soon`: no one waits for it, so it goes to disk with the next one that is waited for, or a moment later.
   * `kept`: the same, but from this moment on it outlives this process, with all that was appended before it.
   */
  append(record: R, when?: 'now' | 'soon' | 'kept'): Promise<Entry<R>>;
}

export type ReadEnd =
  /** `empty`: nothing is written yet. */
  | { kind: 'read' | 'empty' }
  | { kind: 'damaged'; damage: Damage }
  | { kind: 'lost'; reason: string }
  | { kind: 'unreadable'; reason: string };

export interface StateRead {
  /** After all entries that could be read. */
  state: WholeState;
  end: ReadEnd | { kind: 'too-large'; bytes: number };
  /** How far it goes, in the store's own words. */
  upTo?: unknown;
}

/** A session as it stands in the store, unread. */
export interface StoredSession {
  name: string;
  files: SessionFiles;
  /** When it was last written to; null where nothing is, because its start was cut short. */
  changedMs: number | null;
  bytes: number;
  /** Another whenever something was written. */
  version: string;
}

export type Found =
  | ({ kind: 'found' } & StoredSession)
  | { kind: 'absent' }
  /** Only what holds the children of events outside sessions. */
  | { kind: 'group' }
  /** What stands in its place is no session of this project. */
  | { kind: 'foreign'; reason: string };

export interface Holder {
  pid: number;
  since: string;
}

/** A bad line that is more than a torn end. Lines count from 1, offsets in bytes from 0. */
export interface Damage {
  line: number;
  offset: number;
  reason: string;
  goodEntries: number;
  laterGoodEntries: number;
}

/** Bytes after the last whole entry; of the text only the beginning. */
export interface Torn {
  bytes: number;
  text: string;
}

/** `kept` stays after a repair; `lost` are readable entries behind the damage that would go with it. */
export type Inspection<R extends object> =
  | { kind: 'whole'; kept: Entry<R>[] }
  | { kind: 'torn'; torn: Torn; kept: Entry<R>[] }
  | { kind: 'damaged'; damage: Damage; kept: Entry<R>[]; lost: Entry<R>[] }
  | { kind: 'unreadable'; reason: string };

export type Repaired =
  | { kind: 'repaired'; keptEntries: number; original: string }
  | { kind: 'nothing-to-do' }
  | { kind: 'failed'; reason: string };

export type RepairEnd =
  | Repaired
  | { kind: 'declined' }
  | { kind: 'not-locked'; reason: string }
  | { kind: 'busy'; pid: number; since: string };
