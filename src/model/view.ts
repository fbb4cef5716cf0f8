import type { LimitKind, UsageTotal } from './agent.ts';
import type { Decision, HookResult, ProtectedResult, Verdict } from './index.ts';
import type { Spent } from './limits.ts';
import type { HookAt, StageSummary } from './notice.ts';
import type { Checkpoint, Task } from './record.ts';

/**
 * `crashed`: no one holds it and its journal does not say how it ended. `damaged`: its journal cannot be read to the
 * end, so what is told of it may be old. `lost`: it has run, and its own journal is not there.
 */
export type Liveness = 'running' | 'completed' | 'failed' | 'stopped' | 'interrupted' | 'crashed' | 'damaged' | 'lost';

/** A session in one line, as in `runs --json`. A contract with scripts: fields are added, never changed. */
export interface SessionBrief {
  /** Its name; for a child pipeline with its parents' names in front, as in `release/on_stage_complete-3`. */
  session: string;
  status: Liveness;
  reason?: string;
  /** Its journal cannot be opened: whether anything in it is damaged, no one knows. */
  unreadable?: true;
  /** No agent may go on before `until`; present while that lasts, also where no process is waiting. */
  paused?: PauseView;
  pipeline: string;
  agent: string;
  /** Those that take over while it is limited. */
  otherAgents?: readonly string[];
  startedAt?: string;
  endedAt?: string;
  /** The time in which someone worked on it: what lies between a crash and its resume does not count. */
  durationMs: number;
  /** How much of it the session was paused; absent where it was not. */
  pausedMs?: number;
  /** How many processes worked on it. */
  runs: number;
  iterations: number;
  /** How many tasks it has, and how many of them are done or failed. */
  tasksTotal: number;
  tasksDone: number;
  tasksFailed: number;
  hookRuns: number;
  /** Broke, and refused nothing. */
  hooksFailed: number;
  /** Refused something, whether they broke or said no. */
  hooksRefused: number;
  children: readonly SessionBrief[];
}

export interface PauseView {
  since: string;
  until: string;
  kind: LimitKind;
  /** What the agent said. */
  reason: string;
  /** The one that is free first. */
  agent: string;
}

/** Everything about a session but the texts that hooks printed, as in `show --json`. */
export interface SessionView extends SessionBrief {
  stages: readonly StageView[];
  hooks: readonly HookView[];
  tasks: readonly Task[];
  approvals: readonly ApprovalView[];
  /** What it went through, in order; of a very long session the last of it. */
  timeline: readonly TimelineItem[];
  /** The working files as they were kept, in order; none outside a git repository. */
  checkpoints: readonly CheckpointView[];
  /** Absent where no agent of the session tells what it uses. */
  usage?: UsageTotal;
  /** What was spent of its budgets and of the day's when it was last closed. */
  budgets?: readonly Spent[];
}

export interface CheckpointView extends Checkpoint {
  at: string;
}

export interface TimelineItem {
  at: string;
  /** `run.started`, `run.ended`, `refused`, or the name of an event. */
  type: string;
  text: string;
  /** As `why` takes it. */
  id?: number;
}

export interface StageView extends Omit<StageSummary, 'status'> {
  /** `waiting`: its turn may still come. */
  status: StageSummary['status'] | 'waiting' | 'running' | 'crashed';
  /** How many were brought to an end, good or bad. */
  endedIterations: number;
}

/** One run of a hook. */
export interface HookView extends Omit<HookAt, 'maxIterations' | 'id'> {
  /** Of the decision that it is part of, as `why` takes it. */
  id: number;
  /** `unfinished`: no one was there to see how it ended. */
  status: 'running' | 'unfinished' | HookResult['status'];
  outcome?: Readonly<Record<string, unknown>> & { kind: string };
  verdict?: Verdict;
  decision?: { kind: Decision['kind'] };
  /** What a hook that only looks on would have decided. */
  shadow?: { kind: Decision['kind'] };
  /** Why it failed before it passed. */
  flaky?: string;
  /** What of the protected files had changed, and what became of that. */
  protect?: ProtectedResult;
  /** Why it was skipped. */
  why?: string;
  durationMs?: number;
  /** 2 and more: a crash cut off the ones before. */
  attempt: number;
  cause?: 'crash';
  /** How often it ran in this attempt, because its file says so. */
  attempts?: number;
  at: string;
}

export const isRefusal = ({ decision }: HookView): boolean => decision !== undefined && decision.kind !== 'proceed';

/** Whether two runs belong to one event. */
export const isSameFiring = (hook: HookView, before: HookView | undefined): boolean =>
  before !== undefined && hook.id === before.id;

export interface ApprovalView {
  id: string;
  title?: string;
  question: string;
  stage?: string;
  iteration?: number;
  since: string;
  expires?: string;
  /** `over`: the session ended without an answer. */
  status: 'waiting' | 'answered' | 'over';
  answer?: string;
  message?: string;
  /** In which way it was answered, and by whom where that is known; absent in journals of older versions. */
  by?: string;
  /** When it was answered. */
  at?: string;
}
