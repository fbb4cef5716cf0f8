import type { RunMark } from '../../model/record.ts';
import type { Entry } from '../journal/line.ts';
import { createApprovalFold } from './approvals.ts';
import { createWorkClock } from './clock.ts';
import { createHookFold, type WhereHook } from './hooks.ts';
import { type KnownEntry, toKnown } from './known-record.ts';
import { createStageFold } from './stages.ts';
import { createTaskFold } from './tasks.ts';
import type { SessionState, SessionView } from './view.ts';

/** A journal's entries on their way to a view, one at a time; a view can be had at any moment. */
export interface SessionFold {
  add(entry: Entry<object>): void;
  /** Whether the last word about the session is that it ended. */
  isClosed(): boolean;
  /** `isHeld`: somebody works on the session. */
  view(session: string, isHeld: boolean, nowMs: number): SessionView;
}

export function createSessionFold(): SessionFold {
  const [clock, stages, hooks, tasks, approvals] = [
    createWorkClock(),
    createStageFold(),
    createHookFold(),
    createTaskFold(),
    createApprovalFold(),
  ];
  const facts: Facts = { pipeline: '', agent: '', runs: 0 };
  const where: WhereHook = (key, event) =>
    placeOfKey(key, stages.idAt) ?? (event.startsWith('session.') ? {} : stages.current());
  return {
    add(entry) {
      const known = toKnown(entry);
      if (!known) return;
      clock.add(known);
      stages.add(known, clock.workedMs());
      hooks.add(known, where);
      tasks.add(known);
      approvals.add(known);
      learn(facts, known);
    },
    isClosed: () => facts.closed !== undefined,
    view(session, isHeld, nowMs) {
      const { status, reason } = standing(facts, isHeld);
      const isRunning = status === 'running';
      const workedMs = isRunning ? clock.workedUntilMs(nowMs) : clock.workedMs();
      const lastAt = clock.lastAt();
      const listed = tasks.view();
      return {
        session,
        status,
        ...(reason !== undefined && { reason }),
        pipeline: facts.pipeline,
        agent: facts.agent,
        ...(facts.startedAt !== undefined && { startedAt: facts.startedAt }),
        ...(!isRunning && lastAt !== undefined && { endedAt: lastAt }),
        durationMs: workedMs,
        runs: facts.runs,
        iterations: stages.iterations(),
        tasksTotal: listed.length,
        tasksDone: listed.filter(task => task.status === 'done').length,
        ...hooks.counts(),
        stages: stages.view(status, workedMs),
        hooks: hooks.view(isRunning),
        tasks: listed,
        approvals: approvals.view(isRunning),
        children: [],
      };
    },
  };
}

interface Facts {
  pipeline: string;
  agent: string;
  startedAt?: string;
  runs: number;
  run?: RunMark;
  closed?: Extract<KnownEntry, { kind: 'session.closed' }>;
}

function learn(facts: Facts, entry: KnownEntry): void {
  if (entry.kind === 'session.closed') facts.closed = entry;
  if (entry.kind !== 'session.started' && entry.kind !== 'session.resumed') return;
  facts.runs += 1;
  facts.run = entry.run;
  delete facts.closed;
  if (entry.kind === 'session.resumed') return;
  facts.startedAt = entry.at;
  facts.pipeline = entry.plan.name;
  facts.agent = entry.settings.agent;
}

function standing({ closed, run }: Facts, isHeld: boolean): { status: SessionState; reason?: string } {
  if (closed) return { status: closed.status, ...(closed.reason !== undefined && { reason: closed.reason }) };
  if (isHeld) return { status: 'running' };
  return {
    status: 'crashed',
    reason: run ? `its process ${run.pid} ended without closing it` : 'its start was cut short',
  };
}

/** Keys of stages and iterations begin as in `s0/i3/prompt`. */
function placeOfKey(
  key: string,
  idAt: (index: number) => string | undefined,
): { stage?: string; iteration?: number } | undefined {
  const [, index, iteration] = /^s(\d+)(?:\/i(\d+))?(?![^/#])/.exec(key) ?? [];
  const stage = index === undefined ? undefined : idAt(Number(index));
  return stage === undefined ? undefined : { stage, ...(iteration !== undefined && { iteration: Number(iteration) }) };
}
