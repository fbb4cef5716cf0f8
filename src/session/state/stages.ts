import type { HookEvent } from '../../model/index.ts';
import type { StageSummary } from '../../model/notice.ts';
import type { StagePlan } from '../../model/pipeline.ts';
import type { SessionEntry, SessionStatus } from '../../model/record.ts';
import type { Liveness, StageView } from '../../model/view.ts';

/** A stage as the journal tells of it. Times are those of the session's work. */
export interface StageState {
  id: string;
  status: 'waiting' | 'running' | SessionStatus;
  begun: number;
  ended: number;
  failed: Set<number>;
  maxIterations: number;
  spentMs: number;
  /** When it last began. */
  fromMs: number;
  reason?: string;
}

/** The longest that a stage may be, as its file has it. */
export const limitOf = ({ termination }: StagePlan): number =>
  termination.type === 'fixed' ? termination.iterations : termination.max;

export function foldStages(stages: Map<string, StageState>, entry: SessionEntry, workedMs: number): void {
  if (entry.kind === 'session.started') for (const plan of entry.plan.stages) stages.set(plan.id, newStage(plan));
  else if (entry.kind === 'session.resumed') {
    // One that was stopped or interrupted is where the next process goes on.
    for (const stage of stages.values())
      if (['stopped', 'interrupted', 'failed'].includes(stage.status)) begin(stage, workedMs);
  } else if (entry.kind === 'session.closed') {
    for (const stage of stages.values())
      if (stage.status === 'running') end(stage, entry.status, workedMs, entry.reason);
  } else if (entry.kind === 'event' && entry.event.stage !== undefined) {
    const { stage: id } = entry.event;
    const stage = stages.get(id) ?? newStage({ id });
    stages.set(id, stage);
    advance(stage, entry.event, workedMs);
  }
}

export const iterationsOf = (stages: ReadonlyMap<string, StageState>): number =>
  [...stages.values()].reduce((sum, { begun }) => sum + begun, 0);

export const spentMs = (stage: StageState, workedMs: number): number =>
  stage.spentMs + (stage.status === 'running' ? workedMs - stage.fromMs : 0);

export function toStageView(stage: StageState, session: Liveness, workedMs: number): StageView {
  const { id, status, begun, ended, failed, maxIterations, reason } = stage;
  return {
    stage: id,
    status: statusIn(status, session),
    iterations: begun,
    maxIterations,
    endedIterations: status === 'completed' ? begun : ended,
    failedIterations: failed.size,
    durationMs: spentMs(stage, workedMs),
    ...(reason !== undefined && { reason }),
  };
}

/** As the summary at the end of a run has it. `status`: how the session ended, or would. */
export function toStageSummary(
  plan: StagePlan,
  stage: StageState | undefined,
  status: SessionStatus,
  workedMs: number,
): StageSummary {
  const base = { stage: plan.id, maxIterations: limitOf(plan) };
  if (!stage || stage.status === 'waiting')
    return { ...base, status: 'skipped', iterations: 0, failedIterations: 0, durationMs: 0 };
  const isOver = stage.status === 'completed';
  return {
    ...base,
    status: isOver ? 'completed' : status,
    iterations: stage.begun,
    failedIterations: stage.failed.size,
    durationMs: Math.round(spentMs(stage, workedMs)),
    ...(isOver && stage.reason !== undefined && { reason: stage.reason }),
  };
}

const newStage = (plan: Pick<StagePlan, 'id'> & Partial<StagePlan>): StageState => ({
  id: plan.id,
  status: 'waiting',
  begun: 0,
  ended: 0,
  failed: new Set(),
  maxIterations: maxIterationsOf(plan),
  spentMs: 0,
  fromMs: 0,
});

/** The file may come from someone else. */
function maxIterationsOf(plan: Partial<StagePlan>): number {
  const max: unknown = plan.termination && limitOf(plan as StagePlan);
  return typeof max === 'number' ? max : 0;
}

function advance(stage: StageState, event: HookEvent, workedMs: number): void {
  const { name, iteration, maxIterations, status } = event;
  stage.maxIterations = maxIterations ?? stage.maxIterations;
  if (name === 'stage.starting' || name === 'iteration.starting') begin(stage, workedMs);
  if (name === 'stage.completed') end(stage, 'completed', workedMs, status);
  if (iteration === undefined) return;
  if (name === 'iteration.failed') stage.failed.add(iteration);
  if (name === 'iteration.failed' || name === 'iteration.completed') stage.ended = Math.max(stage.ended, iteration);
  if (name !== 'iteration.starting') return;
  stage.begun = Math.max(stage.begun, iteration);
  // Begun anew after a crash: its end was not the last word.
  stage.ended = Math.min(stage.ended, iteration - 1);
  stage.failed.delete(iteration);
}

function begin(stage: StageState, workedMs: number): void {
  if (stage.status !== 'running') stage.fromMs = workedMs;
  stage.status = 'running';
  delete stage.reason;
}

function end(stage: StageState, status: StageState['status'], workedMs: number, reason: unknown): void {
  if (stage.status === 'running') stage.spentMs += workedMs - stage.fromMs;
  stage.status = status;
  if (typeof reason === 'string' && reason !== '') stage.reason = reason;
}

function statusIn(status: StageState['status'], session: Liveness): StageView['status'] {
  if (status === 'running') return session === 'running' ? 'running' : 'crashed';
  const isOver = session === 'completed' || session === 'failed';
  return status === 'waiting' && isOver ? 'skipped' : status;
}
