import type { StagePlan } from '../model/pipeline.ts';
import type { ApprovalEnd, ApprovalRequest, Session } from './session.ts';

/** Puts a question of the session itself, or of its agent, to a person; undefined: no one can be asked here. */
export async function askPerson(
  { outside, paths }: Session,
  { stage, iteration }: { stage?: StagePlan | undefined; iteration?: number | undefined },
  asked: Omit<ApprovalRequest, 'event'>,
  signal: AbortSignal,
): Promise<ApprovalEnd | undefined> {
  const event = {
    name: 'approval.requested' as const,
    session: paths.name,
    ...(stage && { stage: stage.id }),
    ...(iteration !== undefined && { iteration }),
  };
  return outside.requestApproval?.({ ...asked, event }, signal);
}
