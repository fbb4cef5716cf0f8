import type { LimitKind, Usage } from './agent.ts';
import type { Decision, HookResult } from './decision.ts';
import type { EventName, HookEvent } from './event.ts';
import type { HookId } from './hook.ts';
import type { Limits, Spent } from './limits.ts';
import type { PipelinePlan } from './pipeline.ts';
import type { Protect } from './protect.ts';

/**
 * What a session's journal holds, one record a line. Texts are masked. Fields are added, meanings never change.
 * A `key` names one piece of work of the session; its last part says what it is, as in `s0/i3/prompt`.
 */
export type SessionRecord =
  | {
      kind: 'session.started';
      version: 1;
      /** Whose journal it is, by its folder's name; absent in those of older versions. */
      session?: string;
      program: string;
      /** What the user's state folder knows the session by that was begun there. */
      origin?: string;
      plan: PipelinePlan;
      settings: SessionSettings;
      /** Of plan and settings what is or may be secret is left out; the user's state folder has it, for `resume`. */
      secret?: true;
      run: RunMark;
    }
  /** `again`: the work that starts with this key is done anew, its earlier records do not count. */
  | { kind: 'session.resumed'; run: RunMark; again?: string }
  /** For people. One with a key is not told again after a crash. */
  | { kind: 'event'; key?: string; event: HookEvent }
  | { kind: 'step.started'; key: string; attempt: number; cause?: 'crash' | 'limit' }
  | { kind: 'step.done'; key: string; value?: unknown; pending?: Pending }
  | {
      kind: 'hook.started';
      key: string;
      hook: HookId;
      name: string;
      event: EventName;
      attempt: number;
      cause?: 'crash';
      /** No one waits for it. With this event it is resumed where a crash cuts it off; absent: too long to be kept. */
      background?: { event?: HookEvent };
    }
  | {
      kind: 'hook.finished';
      key: string;
      hook: HookId;
      name: string;
      event: EventName;
      /** Long texts are cut; what the session depends on is whole. */
      result: HookResult;
      pending?: Pending;
      /** A gate refused, and the agent has no attempt left to fix it. */
      noFixLeft?: true;
    }
  /** What became of an event, for people: written where something was refused, or hooks did not run. */
  | {
      kind: 'event.decided';
      key: string;
      event: EventName;
      decision: Decision;
      /** The first of those that did not run; how many more there were. */
      skipped: readonly SkippedHook[];
      moreSkipped?: number;
    }
  /** The agent is told everything that waited up to this record for these prompts; `hooks` have said it, as far as hooks have. */
  | {
      kind: 'pending.taken';
      key: string;
      upTo: number;
      from: readonly Delivery[];
      text: string;
      hooks?: readonly HookId[];
    }
  /** The working files were kept. `key`: of the work after which; absent where a person asked for it. */
  | ({ kind: 'checkpoint.made'; key?: string } & Checkpoint)
  | AgentRecord
  | PauseRecord
  | TaskRecord
  /** `failedIn`: the work to be done anew when the session is resumed. */
  /** `budgets`: what was spent of them by then. */
  | {
      kind: 'session.closed';
      status: SessionStatus;
      reason?: string;
      failedIn?: string;
      budgets?: readonly Spent[];
    };

/**
 * What the agent was sent, said, did and used: for people. But what `agent.told` names is not told again after a crash, and
 * usage is added up from the last record of a conversation. `key` names the turn, or what happened in it. Long texts and values are cut; `file` has all of it, by its path in the project.
 */
export type AgentRecord =
  | ({ kind: 'agent.prompt'; key: string } & RecordedText)
  | ({ kind: 'agent.message'; key: string } & RecordedText)
  /** Once a call, when it has ended. `refused`: hooks or a person said no, so there is no output. */
  | {
      kind: 'agent.tool';
      key: string;
      id?: string;
      tool: string;
      input?: unknown;
      output?: unknown;
      status: 'completed' | 'failed' | 'refused';
    }
  /** What hooks have said to the agent, when it was told; what waited for a prompt is told by `pending.taken`. */
  | ({ kind: 'agent.told'; key: string; hooks: readonly HookId[] } & RecordedText)
  /** At the end of a turn, and in a long one meanwhile, for the whole conversation so far. */
  | ({ kind: 'agent.usage'; key: string; conversation: string } & Usage)
  | { kind: 'file.changes'; key: string; files: readonly FileChange[] };

/** The working files of the project at one moment, as a commit that is on no branch. */
export interface Checkpoint {
  /** Counts from 0, which is before the session. */
  n: number;
  /** Of the commit. */
  oid: string;
  tree: string;
  ref: string;
  /** After what, for people. */
  what: string;
  /** What HEAD was: the full name of the branch where it was on one, and its commit. */
  branch?: string;
  head?: string;
  /** A person went back to an earlier one then: these files are not the session's work alone. */
  beforeUndo?: true;
}

/**
 * Who works on the session, and when no one may. `agent`: as it was named, masked. Times are those of the wall clock, as
 * ISO 8601.
 */
export type PauseRecord =
  /** An attempt of a turn ended because the agent may not go on. `begun`: something of the turn was done by then. */
  | ({ kind: 'agent.limited'; key: string; attempt: number; begun?: true } & LimitRecord)
  /** From here on an agent works on an iteration. `from`: whom it takes over from, and why; `begun`: work was done by then. */
  | { kind: 'agent.chosen'; key: string; agent: string; from?: string; reason?: string; begun?: true }
  /** All that may work on it are limited; these are the facts of the one that is free first. */
  | ({ kind: 'pause.started'; key: string } & LimitRecord)
  | { kind: 'pause.ended'; key: string };

export interface LimitRecord {
  agent: string;
  limit: LimitKind;
  until: string;
  reason: string;
}

/** A hook of an event that did not run, and why. */
export interface SkippedHook {
  hook: HookId;
  name: string;
  why: string;
  /** It counts as passed: with these files it has passed before. */
  passed?: true;
}

export interface RecordedText {
  text: string;
  file?: string;
}

/** What stands in place of a JSON value that is too long for the journal: of its text the beginning and the end. */
export interface CutValue {
  cut: true;
  head: string;
  tail: string;
  file?: string;
}

/** What a turn has changed of a file; without lines where only the path is known. */
export interface FileChange {
  path: string;
  added?: number;
  removed?: number;
}

/** A record as the journal holds it. `seq` counts from 1 without gaps; `at` is the wall clock, as ISO 8601. */
export type Entry<R extends object> = { seq: number; at: string } & R;

export type SessionEntry = Entry<SessionRecord>;

/** An entry as it was found: its shape is not looked at. */
export type StoredEntry = Entry<object>;

/** How a session ended: `stopped` by someone who asked for it, `interrupted` by a signal. Those two, and ones whose journal has no such record, can go on. */
export type SessionStatus = 'completed' | 'failed' | 'stopped' | 'interrupted';

/** Feedback waits for the next iteration's prompt, for whatever prompt comes next, or holds up the end of the turn. */
export type Delivery = 'next-iteration' | 'next-prompt' | 'turn-end';

/** What the agent has still to be told. */
export interface Pending {
  goesWith: Delivery;
  text: string;
}

/** What `run` was told. */
export interface SessionSettings {
  agent: string;
  /** Those that take over while it is limited, in this order. */
  otherAgents?: readonly string[];
  root: string;
  /** Outer roots at its start, whose gates apply until its end. */
  outerRoots?: readonly string[];
  /** The checklist of `--tasks`, absolute. */
  tasksFile?: string;
  maxRetries?: number;
  maxFailures?: number;
  /** What options of `run` say of its budget. */
  limits?: Limits;
  /** A task is done when its gates passed, whoever ticks its box. */
  doneByGates?: true;
  /** Every accepted task is a commit on the branch. */
  commitTasks?: true;
  /** What gates depend on, and must not be changed for them to pass. */
  protect?: Protect;
  /** null: none. */
  turnTimeoutMs: number | null;
  /** The longest pause of the session, where the command line says it. */
  maxWaitMs?: number;
  permissions: 'allow' | 'ask';
  noHooks: boolean;
  /** Only trusted hooks run, and only scripts that are as they were trusted. */
  requireTrust?: true;
  /** Of a child pipeline. */
  child?: ChildOf;
}

/** Which run of which hook a child belongs to; absent key: the hook was not part of a session. */
export interface ChildOf {
  key?: string;
  /** The parent's run that started it. */
  run: number;
  /** 1 for the child of a session that is no one's child. */
  depth: number;
}

/** One process that works on the session. The mark finds what it has left running. */
export interface RunMark {
  /** 1 for the first, one more for each that resumed it. */
  number: number;
  pid: number;
  startTime: string;
  mark: string;
}

/** What the journal keeps of tasks. `id` is T1, T2... for tasks of the session, or the id of a checklist's task. */
export type TaskRecord =
  | { kind: 'task.added'; id: string; content: string }
  | { kind: 'task.started'; id: string }
  /** It was said, and its gates passed. `unchecked`: no one asked them, since no session was running or its stage does not. */
  | { kind: 'task.done'; id: string; summary?: string; unchecked?: true; value?: unknown }
  | { kind: 'task.dropped'; id: string; reason?: string }
  /**
   * The checklist as the session found it: boxes that count as done without its gates. `after`: sessions before it whose
   * boxes it did not trust, each with the last record it had by then.
   */
  | { kind: 'tasks.found'; ticked: readonly string[]; after: Readonly<Record<string, number>> }
  /** The tasks of the checklist, whenever they are others than before: what is open, and how many there are, stands nowhere else. */
  | { kind: 'tasks.listed'; tasks: readonly { id: string; content: string }[] }
  /** Its box is ticked, and its gates passed since. */
  | { kind: 'task.passed'; id: string }
  /** A gate refused it, with this text for the agent. */
  | { kind: 'task.refused'; id: string; text: string }
  /** It counted as done, and its box was unticked. */
  | { kind: 'task.reopened'; id: string }
  /** This run of the session has given it up. */
  | { kind: 'task.failed'; id: string; content?: string; reason: string; inRun: number };

export interface Task {
  id: string;
  content: string;
  status: 'open' | 'started' | 'done' | 'failed' | 'dropped';
  /** What whoever finished or dropped it said, or why it failed. */
  note?: string;
  /** Why it has failed. */
  reason?: string;
}
