import { keyOf, stageKey } from '../model/step-key.ts';
import { compareHooks } from './changed-hooks.ts';
import { createControl } from './control.ts';
import { announceDone, endWithProof, trustFound } from './done-tasks.ts';
import { type Ended, endSession, type SessionResult } from './ending.ts';
import { takeExports } from './exports.ts';
import { fire, refusalText } from './fire.ts';
import type { Loop } from './loop.ts';
import { SessionEnd } from './session-end.ts';
import { leaveStage, runStage } from './stage.ts';
import { keepState } from './state.ts';
import { takeUpLeft } from './take-up.ts';

/** Runs a session from where its journal stands to its end. Contract: rejects only for bugs. */
export async function runSession(loop: Loop): Promise<SessionResult> {
  const control = await loop.openControl?.(createControl(loop));
  // Whoever wants it to end at once does not wait for its end.
  const cutShort = (): void => keepState(loop, 'interrupted', { reason: 'at once' });
  loop.atOnce.addEventListener('abort', cutShort);
  try {
    return await endSession(loop, await work(loop));
  } finally {
    loop.atOnce.removeEventListener('abort', cutShort);
    await control?.close();
    await loop.seat.stop();
  }
}

async function work(loop: Loop): Promise<Ended> {
  const { engines } = loop;
  try {
    compareHooks(loop);
    if (loop.stop.aborted) throw new SessionEnd('interrupted', 'before it began');
    await trustFound(loop);
    takeUpLeft(loop);
    const scene = { engine: engines.session };
    const starting = await fire(loop, scene, 'session.starting', { key: keyOf('start') });
    if (starting.decision.kind !== 'proceed')
      throw new SessionEnd('failed', `the session may not start: ${refusalText(starting)}`, { at: keyOf('start') });
    await takeExports(loop);
    await announceDone(loop, scene);
    for (const stage of loop.plan.stages) {
      keepState(loop, 'running', { stage: stage.id });
      const engine = engines.of(stage);
      const end = await loop.durable.whole(stageKey(stage.index), () => runStage(loop, stage, engine));
      leaveStage(loop, stage, engine, end);
    }
    await endWithProof(loop, scene);
    return { status: 'completed' };
  } catch (error) {
    if (error instanceof SessionEnd) return error;
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    return new SessionEnd('failed', `the session's files cannot be used: ${message}`);
  }
}
