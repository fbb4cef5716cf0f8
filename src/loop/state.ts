import type { SessionStatus } from '../model/record.ts';
import { writeJson } from '../session/files.ts';
import type { Loop } from './loop.ts';

/** Writes state.json: where the session stands, for whoever looks into its folder. Everything in it follows from the journal. */
export function keepState(loop: Loop, status: SessionStatus | 'running', reason?: string): void {
  const { paths, plan, run, tally } = loop;
  const now = new Date();
  try {
    writeJson(paths.state, {
      session: paths.name,
      pipeline: plan.name,
      status,
      ...(reason !== undefined && { reason: loop.mask(reason) }),
      pid: run.pid,
      at: now.toISOString(),
      stages: tally
        .stages(status === 'running' ? 'interrupted' : status, now)
        .map(stage => (stage.status === 'interrupted' ? { ...stage, status } : stage)),
    });
  } catch {
    // Nothing depends on it, and the journal has said what there is to say.
  }
}
