import type { HookEvent } from '../../model/index.ts';
import type { StagePlan } from '../../model/pipeline.ts';
import type { KnownEntry } from './known-record.ts';
import type { SessionState, StageView } from './view.ts';

export interface StageFold {
  /** `workedMs`: the session's work clock at this entry. */
  add(entry: KnownEntry, workedMs: number): void;
  view(session: SessionState, workedMs: number): StageView[];
  iterations(): number;
  idAt(index: number): string | undefined;
  /** Where the session is. */
  current(): { stage?: string; iteration?: number };
}

interface Stage {
  id: string;
  status: 'waiting' | 'running' | 'completed' | 'failed' | 'interrupted';
  begun: number;
  ended: number;
  failed: Set<number>;
  maxIterations: number;
  spentMs: number;
  /** The work clock when it last began. */
  fromMs: number;
  reason?: string;
}

export function createStageFold(): StageFold {
  const stages = new Map<string, Stage>();
  let current: { stage?: string; iteration?: number } = {};
  const named = (id: string): Stage => stages.get(id) ?? addStage(stages, id, 0);
  return {
    add(entry, workedMs) {
      if (entry.kind === 'session.started')
        for (const plan of entry.plan.stages) addStage(stages, plan.id, maxIterationsOf(plan));
      else if (entry.kind === 'session.resumed') goOn(stages.values(), workedMs);
      else if (entry.kind === 'session.closed') close(stages.values(), entry, workedMs);
      else if (entry.kind === 'event' && entry.event.stage !== undefined) {
        const { stage, iteration } = entry.event;
        current = { stage, ...(iteration !== undefined && { iteration }) };
        advance(named(stage), entry.event, workedMs);
      }
    },
    view: (session, workedMs) => [...stages.values()].map(stage => toView(stage, session, workedMs)),
    iterations: () => [...stages.values()].reduce((sum, { begun }) => sum + begun, 0),
    idAt: index => [...stages.keys()][index],
    current: () => current,
  };
}

function addStage(stages: Map<string, Stage>, id: string, maxIterations: number): Stage {
  const stage: Stage = {
    id,
    status: 'waiting',
    begun: 0,
    ended: 0,
    failed: new Set(),
    maxIterations,
    spentMs: 0,
    fromMs: 0,
  };
  stages.set(id, stage);
  return stage;
}

function maxIterationsOf({ termination }: StagePlan): number {
  const max: unknown = termination.type === 'fixed' ? termination.iterations : termination.max;
  return typeof max === 'number' ? max : 0;
}

function advance(stage: Stage, event: HookEvent, workedMs: number): void {
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

function begin(stage: Stage, workedMs: number): void {
  if (stage.status !== 'running') stage.fromMs = workedMs;
  stage.status = 'running';
  delete stage.reason;
}

function end(stage: Stage, status: Stage['status'], workedMs: number, reason: unknown): void {
  if (stage.status === 'running') stage.spentMs += workedMs - stage.fromMs;
  stage.status = status;
  if (typeof reason === 'string' && reason !== '') stage.reason = reason;
}

function close(
  stages: Iterable<Stage>,
  { status, reason }: Extract<KnownEntry, { kind: 'session.closed' }>,
  workedMs: number,
): void {
  for (const stage of stages) if (stage.status === 'running') end(stage, status, workedMs, reason);
}

/** A stage that was interrupted is where the next process goes on. */
function goOn(stages: Iterable<Stage>, workedMs: number): void {
  for (const stage of stages) if (stage.status === 'interrupted' || stage.status === 'failed') begin(stage, workedMs);
}

function toView(stage: Stage, session: SessionState, workedMs: number): StageView {
  const { id, status, begun, ended, failed, maxIterations, spentMs, fromMs, reason } = stage;
  return {
    stage: id,
    status: statusIn(status, session),
    iterations: begun,
    maxIterations,
    endedIterations: status === 'completed' ? begun : ended,
    failedIterations: failed.size,
    durationMs: spentMs + (status === 'running' ? workedMs - fromMs : 0),
    ...(reason !== undefined && { reason }),
  };
}

function statusIn(status: Stage['status'], session: SessionState): StageView['status'] {
  if (status === 'running') return session === 'running' ? 'running' : 'crashed';
  const isOver = session === 'completed' || session === 'failed';
  return status === 'waiting' && isOver ? 'skipped' : status;
}
