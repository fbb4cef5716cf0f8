import type { StageSummary } from '../model/notice.ts';
import type { SessionStatus } from '../model/record.ts';
import { toSummary } from '../session/state/state.ts';
import type { Loop } from './loop.ts';

export interface Standing {
  /** The stage that is at work. */
  stage?: string;
  reason?: string | undefined;
}

/** Writes state.json: where the session stands, for whoever looks into its folder. Everything in it follows from the journal. */
export function keepState(loop: Loop, status: SessionStatus | 'running', { stage, reason }: Standing): void {
  const { paths, plan, run, durable, tellState } = loop;
  const now = new Date();
  const { stages } = toSummary(durable.state(), plan, status === 'running' ? 'interrupted' : status);
  try {
    tellState({
      session: paths.name,
      pipeline: plan.name,
      status,
      ...(reason !== undefined && { reason: loop.mask(reason) }),
      pid: run.pid,
      at: now.toISOString(),
      stages: status === 'running' ? stages.map(each => ({ ...each, status: standingOf(each, stage) })) : stages,
    });
  } catch {
    // Nothing depends on it, and the journal has said what there is to say.
  }
}

/** Of a session that goes on no stage is skipped or interrupted for good. */
const standingOf = (
  { stage, status }: StageSummary,
  current: string | undefined,
): StageSummary['status'] | 'running' | 'waiting' =>
  status === 'completed' ? status : stage === current ? 'running' : 'waiting';
