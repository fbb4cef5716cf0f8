import { keyOf, stageKey } from '../model/step-key.ts';
import { createControl } from './control.ts';
import { announceDone, endWithProof, trustFound } from './done-tasks.ts';
import { SessionEnd } from './durable.ts';
import { type Ended, endSession, keepState, type SessionResult } from './ending.ts';
import { refusalText } from './fire.ts';
import { compareHooks, resumeLeft, takeExports } from './resume.ts';
import { leaveStage, runStage } from './stage.ts';
import type { Step } from './step.ts';

/** Runs a session from where its journal stands to its end. Contract: rejects only for bugs. */
export async function runSession(step: Step): Promise<SessionResult> {
  const { session, conversation } = step;
  const control = await session.outside.openControl?.(createControl(step));
  // Whoever wants it to end at once does not wait for its end.
  const cutShort = (): void => keepState(session, 'interrupted', { reason: 'at once' });
  session.atOnce.addEventListener('abort', cutShort);
  try {
    return await endSession(step, await work(step));
  } finally {
    session.atOnce.removeEventListener('abort', cutShort);
    await control?.close();
    await conversation.stop();
  }
}

async function work(step: Step): Promise<Ended> {
  const { session, fire } = step;
  const { engines } = fire;
  try {
    compareHooks(session);
    if (session.stop.aborted) throw new SessionEnd('interrupted', 'before it began');
    await trustFound(session);
    resumeLeft(step);
    const position = { engine: engines.session };
    const starting = await fire(position, 'session.starting', { key: keyOf('start') });
    if (starting.decision.kind !== 'proceed')
      throw new SessionEnd('failed', `the session may not start: ${refusalText(starting)}`, { at: keyOf('start') });
    await takeExports(session);
    await announceDone(step, position);
    for (const stage of session.plan.stages) {
      keepState(session, 'running', { stage: stage.id });
      const engine = engines.of(stage);
      const end = await session.durable.whole(stageKey(stage.index), () => runStage(step, stage, engine));
      leaveStage(session, stage, engine, end);
    }
    await endWithProof(step, position);
    return { status: 'completed' };
  } catch (error) {
    if (error instanceof SessionEnd) return error;
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    return new SessionEnd('failed', `the session's files cannot be used: ${message}`);
  }
}
