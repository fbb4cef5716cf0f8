import type { HookEvent } from '../../model/index.ts';
import { given } from '../../model/json.ts';
import { toKnown } from '../../model/known-record.ts';
import type { SessionSummary, SpentSummary } from '../../model/notice.ts';
import type { PipelinePlan } from '../../model/pipeline.ts';
import type { RunMark, SessionEntry, SessionRecord, SessionStatus, Task } from '../../model/record.ts';
import { parseKey } from '../../model/step-key.ts';
import { countTasks } from '../../model/task-count.ts';
import type { Liveness, SessionView } from '../../model/view.ts';
import { foldTask, isTaskRecord, type ListedTask, listTasks, newTasks, type TaskStore } from '../tasks.ts';
import { type Approvals, foldApprovals, toApprovalViews } from './approvals.ts';
import { foldCheckpoints, type KeptCheckpoint } from './checkpoints.ts';
import { type Consumed, foldConsumed, newConsumed } from './consumed.ts';
import { foldHooks, type HookRuns, newHookRuns, toHookViews } from './hook-runs.ts';
import { foldPauses, newPauses, type Pauses, toPauseView } from './pauses.ts';
import { activeMs, foldSpent, newSpent, type Spent, toSpentSummary } from './spent.ts';
import { foldStages, iterationsOf, type StageState, spentMs, toStageSummary, toStageView } from './stages.ts';
import { foldTimeline, newTimeline, type Timeline } from './timeline.ts';
import { foldUsage, totalUsage, type UsageByConversation } from './usage.ts';
import { foldWork, newWork, type WorkDone } from './work.ts';

/** What is true of a session after the entries of its journal so far. Whoever asks something about a session reads it here. */
export interface SessionState {
  started?: Extract<SessionRecord, { kind: 'session.started' }>;
  startedAt?: string;
  /** Absent where its last process did not get as far as closing it. */
  closed?: Extract<SessionRecord, { kind: 'session.closed' }>;
  /** How often it was closed, and how often it had failed then. */
  closes: number;
  failures: number;
  runs: RunMark[];
  /** The time in which it was worked on; nights between a crash and its resume are left out. */
  workedMs: number;
  lastAt?: string;
  lastSeq: number;
  /** Something was begun in it that may have changed the project. */
  hasWorked: boolean;
  stages: Map<string, StageState>;
  /** Where the session is. */
  current: { stage?: string; iteration?: number };
  hooks: HookRuns;
  tasks: TaskStore;
  /** Tasks that events tell of: older versions did not write the checklist down. */
  heard: Map<string, ListedTask>;
  approvals: Approvals;
  usage: UsageByConversation;
  pauses: Pauses;
  spent: Spent;
  consumed: Consumed;
  timeline: Timeline;
  checkpoints: KeptCheckpoint[];
  /** For who goes on with it; it does not follow what is done from then on. */
  work?: WorkDone;
}

/** As it is read. */
export type WholeState = SessionState & { work: WorkDone };

export const newState = (): WholeState => ({
  closes: 0,
  failures: 0,
  runs: [],
  workedMs: 0,
  lastSeq: 0,
  hasWorked: false,
  stages: new Map(),
  current: {},
  hooks: newHookRuns(),
  tasks: newTasks(),
  heard: new Map(),
  approvals: { all: [], waiting: new Map() },
  usage: new Map(),
  pauses: newPauses(),
  spent: newSpent(),
  consumed: newConsumed(),
  timeline: newTimeline(),
  checkpoints: [],
  work: newWork(),
});

/** Takes in the next entry of a journal. What no version of ours has written tells nothing. */
export function fold(state: SessionState, entry: { seq: number; at: string }): void {
  state.lastSeq = entry.seq;
  const known = toKnown(entry);
  if (!known) return;
  const ms = Date.parse(known.at);
  // What is noted after its end is no work.
  if (!state.closed || known.kind === 'session.resumed') {
    // The wall clock may have been set back.
    if (state.lastAt !== undefined && known.kind !== 'session.resumed')
      state.workedMs += Math.max(0, ms - Date.parse(state.lastAt));
    state.lastAt = known.at;
  }
  foldKnown(state, known);
}

/** The same for an entry of our own; the session's clock is the caller's. */
export function foldKnown(state: SessionState, entry: SessionEntry): void {
  foldFacts(state, entry);
  const activeBefore = activeMs(state.spent);
  foldSpent(state.spent, entry, state.workedMs, state.approvals.waiting.size > 0);
  foldStages(state.stages, entry, state.workedMs);
  foldHooks(state.hooks, entry, (key, event) => whereOf(state, key, event));
  foldApprovals(state.approvals, entry);
  const before = entry.kind === 'agent.usage' ? state.usage.get(entry.conversation) : undefined;
  foldUsage(state.usage, entry);
  const passedMs = activeMs(state.spent) - activeBefore;
  foldConsumed(state.consumed, entry, { before, after: state.usage, passedMs });
  foldPauses(state.pauses, entry);
  foldTimeline(state.timeline, entry);
  foldCheckpoints(state.checkpoints, entry);
  if (isTaskRecord(entry)) foldTask(state.tasks, entry);
  if (entry.kind === 'event') hear(state, entry.event);
  if (state.work) foldWork(state.work, entry, state.tasks);
}

function foldFacts(state: SessionState, entry: SessionEntry): void {
  if (entry.kind === 'step.started' || entry.kind === 'hook.started') state.hasWorked = true;
  if (entry.kind === 'session.closed') {
    state.closed = entry;
    state.closes += 1;
    if (entry.status === 'failed') {
      state.failures += 1;
      state.tasks.failedRun = state.runs.at(-1)?.number ?? 0;
    }
  }
  if (entry.kind !== 'session.started' && entry.kind !== 'session.resumed') return;
  state.runs.push(entry.run);
  delete state.closed;
  if (entry.kind === 'session.resumed') return;
  state.started = entry;
  state.startedAt = entry.at;
}

/** What happens in a stage says so in its key; what is asked for from outside happens where the session is. */
function whereOf({ stages, current }: SessionState, key: string, event: string): SessionState['current'] {
  const { stage: index, iteration } = parseKey(key);
  const stage = index === undefined ? undefined : [...stages.keys()][index];
  if (stage === undefined) return event.startsWith('session.') ? {} : current;
  return { stage, ...(iteration !== undefined && { iteration }) };
}

function hear(state: SessionState, { name, stage, iteration, taskId, content }: HookEvent): void {
  if (stage !== undefined) state.current = { stage, ...(iteration !== undefined && { iteration }) };
  if (taskId === undefined || !name.startsWith('task.')) return;
  const before = state.heard.get(taskId);
  const ticked = name === 'task.completed' || before?.ticked === true;
  state.heard.set(taskId, { id: taskId, content: content ?? before?.content ?? '', ticked });
}

/** The tasks of a session as everyone counts them: those of its checklist, then its own. */
export function tasksOf({ tasks, heard }: SessionState): Task[] {
  if (tasks.listed.length > 0) return listTasks(tasks);
  return listTasks(
    tasks,
    [...heard.values()].filter(({ id }) => !tasks.tasks.has(id)),
  );
}

/** As others see it. `isHeld`: someone works on the session. */
export function toView(state: SessionState, session: string, isHeld: boolean, nowMs: number): SessionView {
  const { status, reason } = livenessOf(state, isHeld);
  const isRunning = status === 'running';
  const sinceMs = state.lastAt === undefined ? 0 : Math.max(0, nowMs - Date.parse(state.lastAt));
  const workedMs = state.workedMs + (isRunning ? sinceMs : 0);
  const tasks = tasksOf(state);
  const usage = totalUsage(state.usage);
  const isOver = status === 'completed' || status === 'failed';
  const paused = isOver ? undefined : toPauseView(state.pauses, isRunning ? Number.NEGATIVE_INFINITY : nowMs);
  return {
    session,
    status,
    ...(reason !== undefined && { reason }),
    ...(paused && { paused }),
    pipeline: state.started?.plan.name ?? '',
    agent: state.started?.settings.agent ?? '',
    ...otherAgentsOf(state),
    ...(state.startedAt !== undefined && { startedAt: state.startedAt }),
    ...(!isRunning && state.lastAt !== undefined && { endedAt: state.lastAt }),
    durationMs: workedMs,
    ...pausedIn(state, isRunning ? sinceMs : 0),
    runs: state.runs.length,
    iterations: iterationsOf(state.stages),
    ...countTasks(tasks),
    ...state.hooks.counts,
    stages: [...state.stages.values()].map(stage => toStageView(stage, status, workedMs)),
    hooks: toHookViews(state.hooks, isRunning),
    tasks,
    approvals: toApprovalViews(state.approvals, isRunning),
    timeline: state.timeline.items,
    checkpoints: state.checkpoints.map(({ key: _key, ...checkpoint }) => checkpoint),
    ...(usage && { usage }),
    ...(state.closed?.budgets && { budgets: state.closed.budgets }),
    children: [],
  };
}

/** `sinceMs`: how long ago the last entry was. */
function pausedIn({ spent: { pausedMs, isPaused, hooks } }: SessionState, sinceMs: number): { pausedMs?: number } {
  const allMs = pausedMs + (isPaused && hooks.size === 0 ? sinceMs : 0);
  return allMs > 0 ? { pausedMs: Math.round(allMs) } : {};
}

function otherAgentsOf({ started }: SessionState): Pick<SessionView, 'otherAgents'> {
  const others: unknown = started?.settings.otherAgents;
  return Array.isArray(others) && others.length > 0 ? { otherAgents: others.map(String) } : {};
}

function livenessOf({ closed, runs }: SessionState, isHeld: boolean): { status: Liveness; reason?: string } {
  if (closed) return { status: closed.status, ...(closed.reason !== undefined && { reason: closed.reason }) };
  if (isHeld) return { status: 'running' };
  const run = runs.at(-1);
  return {
    status: 'crashed',
    reason: run ? `its process ${run.pid} ended without closing it` : 'its start was cut short',
  };
}

/** Stages and hooks as the summary at the end of a run has them. */
export const toSummary = (
  state: SessionState,
  plan: PipelinePlan,
  status: SessionStatus,
): Pick<SessionSummary, 'durationMs' | 'stages' | 'hooks' | 'usage' | 'stalls' | keyof SpentSummary> => ({
  ...given({ usage: totalUsage(state.usage), stalls: state.consumed.stalled || undefined }),
  ...toSpentSummary(state.spent),
  durationMs: Math.round(state.workedMs),
  stages: plan.stages.map(stage => toStageSummary(stage, state.stages.get(stage.id), status, state.workedMs)),
  hooks: [...state.hooks.sums.values()],
});

export const stageMs = (state: SessionState, id: string): number => {
  const stage = state.stages.get(id);
  return stage ? Math.round(spentMs(stage, state.workedMs)) : 0;
};
